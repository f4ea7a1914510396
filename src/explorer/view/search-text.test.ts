import { expect, it } from 'vitest'
import { termsOf, widerTexts } from './search-text.ts'

it.each([
  ['', []],
  ['zur', [['prefix', 'zur']]],
  [
    'new y',
    [
      ['words', 'new'],
      ['prefix', 'y'],
    ],
  ],
  [
    'a b c',
    [
      ['words', 'a b'],
      ['prefix', 'c'],
    ],
  ],
  [
    'ne* york',
    [
      ['prefix', 'ne'],
      ['prefix', 'york'],
    ],
  ],
  ['*berg*', [['inside', 'berg']]],
  [
    '"new york" city',
    [
      ['phrase', 'new york'],
      ['prefix', 'city'],
    ],
  ],
  // While one types, a phrase is not closed yet.
  ['"new yo', [['prefix', 'new yo']]],
  ['*', [['prefix', '*']]],
  ['""', []],
])('reads %j', (text, terms) => {
  expect(termsOf(text).map(({ kind, text: term }) => [kind, term])).toEqual(terms)
})

it('offers only texts that find more', () => {
  expect(widerTexts('zur air').map(({ text }) => text)).toEqual(['zur* air*', '*zur* *air*'])
  expect(widerTexts('zur').map(({ text }) => text)).toEqual(['*zur*'])
  expect(widerTexts('*zur*')).toEqual([])
  expect(widerTexts('  ')).toEqual([])
})
