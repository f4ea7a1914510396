import { expect, it } from 'vitest'
import { exactText, formatValue } from './format-value.ts'

it('shows numbers as they are stored', () => {
  const double = (value: number) => formatValue(value, { type: 'double' })
  expect([0.00000012, -1e-308, Math.PI, 0.1 + 0.2, 1e21, 1234567.5].map(double)).toEqual([
    '0.00000012',
    '-1e-308',
    '3.141592653589793',
    '0.30000000000000004',
    '1e+21',
    '1,234,567.5',
  ])
  expect(formatValue('9007199254740993', { type: 'long' })).toBe('9,007,199,254,740,993')
  expect(formatValue('-1234567.50', { type: 'decimal' })).toBe('-1,234,567.50')
  expect(formatValue('NaN', { type: 'double' })).toBe('NaN')
  const point = { type: 'Point', coordinates: [-8.54805555, 47.5] }
  expect(formatValue(point, { type: 'geopoint' })).toBe('47.5° N 8.54805555° W')
})

it('groups amounts, but neither years nor codes', () => {
  const integer = { type: 'integer' } as const
  expect(formatValue(1234567, integer)).toBe('1,234,567')
  expect(formatValue(1987, integer)).toBe('1987')
  expect(formatValue('1987.50', { type: 'decimal' })).toBe('1,987.50')
  expect(formatValue(1987, integer, 'grouped')).toBe('1,987')
  expect(formatValue(1234567, integer, 'plain')).toBe('1234567')
  const address = { type: 'struct', fields: { zip: integer, area: integer } } as const
  expect(formatValue({ zip: 90210, area: 90210 }, address)).toBe('zip: 90210, area: 90,210')
  expect(formatValue([10115], { type: 'array', items: integer }, 'plain')).toBe('10115')
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
