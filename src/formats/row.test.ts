import { expect, it } from 'vitest'
import { excerptOf, valueText } from './row.ts'

it('returns the beginning of a value as one line', () => {
  expect(excerptOf('x'.repeat(100))).toBe(`${'x'.repeat(80)}…`)
  expect(excerptOf('a\r\nb\u001b')).toBe('a b ')
  expect(excerptOf({ a: 5n })).toBe('{"a":5}')
  expect(excerptOf(undefined)).toBe('')
})

it('formats any value as text', () => {
  const values = ['x', 5n, 0.5, Number.NaN, null, true, [1, { big: 2n ** 64n }]]
  expect(values.map(valueText)).toEqual([
    'x',
    '5',
    '0.5',
    'NaN',
    'null',
    'true',
    '[1,{"big":18446744073709551616}]',
  ])
})
