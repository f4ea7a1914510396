import { expect, it } from 'vitest'
import { exactText, formatValue } from './format-value.ts'

it('shows amounts with separators, and keys without', () => {
  expect(formatValue(1234567, { type: 'integer' })).toBe('1,234,567')
  expect(formatValue('9007199254740993', { type: 'long' })).toBe('9,007,199,254,740,993')
  expect(formatValue(1234.5678912, { type: 'double' })).toBe('1,234.567891')
  expect(formatValue(1234567, { type: 'integer' }, { isKey: true })).toBe('1234567')
  expect(formatValue(1234.5678912, { type: 'double' }, { isKey: true })).toBe('1234.5678912')
})

it('shows every digit of a timestamp', () => {
  const show = (text: string) => formatValue(text, { type: 'timestamp' })
  expect(show('2026-01-05T10:20:30Z')).toBe('2026-01-05 10:20:30 UTC')
  expect(show('2026-01-05T10:20:30.000Z')).toBe('2026-01-05 10:20:30 UTC')
  expect(show('2026-01-05T10:20:30.123456Z')).toBe('2026-01-05 10:20:30.123456 UTC')
})

it('shows where nested values end', () => {
  const geo = { type: 'struct', fields: { lat: { type: 'double' } } } as const
  const tags = { type: 'array', items: { type: 'string' } } as const
  const address = { type: 'struct', fields: { geo, tags, city: { type: 'string' } } } as const
  expect(formatValue({ geo: { lat: 1.5 }, tags: ['a', 'b'], city: 'Bern' }, address)).toBe(
    'geo: {lat: 1.5}, tags: [a, b], city: Bern',
  )
})

it('copies values as they are', () => {
  expect([1234.5678912, '9007199254740993', true, undefined, null].map(exactText)).toEqual([
    '1234.5678912',
    '9007199254740993',
    'true',
    '',
    '',
  ])
  expect(exactText([1, 'a'])).toBe('[1,"a"]')
  expect(exactText({ width: 1 })).toBe('{"width":1}')
})
