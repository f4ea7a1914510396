import { expect, it } from 'vitest'
import { readGivenType } from './given-type.ts'

it.each([
  ['decimal', { type: 'decimal' }],
  ['string[]', { type: 'array', items: { type: 'string' } }],
  ['string:english', { type: 'string', language: 'english' }],
  ['string[]:german', { type: 'array', items: { type: 'string' }, language: 'german' }],
  ['string:klingon', undefined],
  ['string:', undefined],
  ['long:english', undefined],
  ['text', undefined],
])('reads %s', (text, definition) => {
  expect(readGivenType(text)).toEqual(definition)
})
