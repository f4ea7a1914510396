import { describe, expect, it } from 'vitest'
import { only, refusedFor } from '../../../test/support/refused-values.ts'
import { scalarReader } from './read-value.ts'

const readLong = scalarReader('long')
const readDecimal = scalarReader('decimal')

const refusedAsNot = (type: string) =>
  expect.objectContaining({
    name: 'RefusedValue',
    reason: expect.stringMatching(`^is not an? ${type}$`),
  })

/** Values that no number type accepts, although `Number(…)` converts some of them. */
const NEVER_NUMBERS: readonly unknown[] = [
  null,
  undefined,
  true,
  false,
  '',
  ' ',
  ' 1',
  '1 ',
  '1\n',
  '--1',
  '+-1',
  '+',
  '-',
  '0x10',
  '0b1',
  '1_000',
  '1,5',
  '1n',
  '١٢',
  'one',
  [],
  [1],
  ['1'],
  {},
  { valueOf: 1 },
  Number.NaN,
  Infinity,
  -Infinity,
]

const WIDTHS = [
  { type: 'byte', min: -128, max: 127 },
  { type: 'short', min: -32_768, max: 32_767 },
  { type: 'integer', min: -2_147_483_648, max: 2_147_483_647 },
] as const

describe.each(WIDTHS)('a $type', ({ type, min, max }) => {
  const read = scalarReader(type)

  it('is stored as a JSON number', () => {
    expect(read(7)).toBe('7')
    expect(read(-7)).toBe('-7')
  })

  it('accepts its smallest and its largest number', () => {
    expect([read(min), read(max)]).toEqual([String(min), String(max)])
    expect([read(String(min)), read(String(max))]).toEqual([String(min), String(max)])
  })

  it.each([min - 1, max + 1, 2 ** 53, -1e300])('refuses %d, which is out of range', (value) => {
    const outside = refusedFor(`is outside ${type}: ${min} to ${max}`)
    expect(() => read(value)).toThrow(outside)
  })

  it.each([String(min - 1), String(max + 1), '9'.repeat(40)])(
    'refuses the text %s, which is out of range',
    (value) => {
      expect(() => read(value)).toThrow(refusedFor(`is outside ${type}: ${min} to ${max}`))
    },
  )

  it.each([
    ['12', '12'],
    ['+12', '12'],
    ['-12', '-12'],
    ['0012', '12'],
  ])('can be sent as the text %s', (sent, stored) => {
    expect(read(sent)).toBe(stored)
  })

  it.each([-0, '-0', '+0', '000'])('has one zero in all spellings (%j)', (value) => {
    expect(read(value)).toBe('0')
  })

  it.each([...NEVER_NUMBERS, 1.5, '1.0', '1e1', 'NaN', 'Infinity', '0'.repeat(41)].map(only))(
    'is never %o',
    (value) => {
      expect(() => read(value)).toThrow(refusedAsNot(type))
    },
  )
})

describe('a long', () => {
  it('is stored as a JSON string, because JSON parsers lose digits', () => {
    expect(readLong('42')).toBe('"42"')
    expect(readLong(42)).toBe('"42"')
  })

  it.each(['9223372036854775807', '-9223372036854775808', '9007199254740993'])(
    'keeps every digit of %s',
    (text) => {
      expect(readLong(text)).toBe(`"${text}"`)
    },
  )

  it.each(['9223372036854775808', '-9223372036854775809', '9'.repeat(40)])(
    'refuses %s, which is out of range',
    (text) => {
      expect(() => readLong(text)).toThrow(
        refusedFor('is outside long: -9223372036854775808 to 9223372036854775807'),
      )
    },
  )

  it('can be a JSON number that is exact', () => {
    expect(readLong(Number.MAX_SAFE_INTEGER)).toBe('"9007199254740991"')
    expect(readLong(Number.MIN_SAFE_INTEGER)).toBe('"-9007199254740991"')
  })

  it.each(['9007199254740992', '9007199254740993', '-9007199254740992', '1e18', '1e300'])(
    'is refused as the JSON number %s, which may have lost digits',
    (json) => {
      expect(() => readLong(JSON.parse(json))).toThrow(
        refusedFor('has lost digits as a JSON number; send a long as a JSON string'),
      )
    },
  )

  it.each([
    ['+5', '"5"'],
    ['-0', '"0"'],
    [-0, '"0"'],
    ['007', '"7"'],
    ['-007', '"-7"'],
    [`${'0'.repeat(39)}7`, '"7"'],
  ])('has one text in all spellings (%j)', (sent, stored) => {
    expect(readLong(sent)).toBe(stored)
  })

  it.each([...NEVER_NUMBERS, 1.5, '1.0', '1e1', 'NaN', '0'.repeat(41)].map(only))(
    'is never %o',
    (value) => {
      expect(() => readLong(value)).toThrow(refusedFor('is not a long'))
    },
  )
})

describe('a decimal', () => {
  it.each(['1.50', '0.000', '100', '-0.1', '79228162514264337593543950335.0000000000000000001'])(
    'keeps the digits of %s as they were sent',
    (text) => {
      expect(readDecimal(text)).toBe(`"${text}"`)
    },
  )

  it.each([
    ['+1.5', '"1.5"'],
    ['007.5', '"7.5"'],
    ['000', '"0"'],
    ['-0', '"0"'],
    ['-0.00', '"0.00"'],
    ['-00.10', '"-0.10"'],
  ])('drops redundant signs and leading zeros (%s)', (sent, stored) => {
    expect(readDecimal(sent)).toBe(stored)
  })

  it.each([
    ['1.', '"1"'],
    ['.5', '"0.5"'],
    ['-.50', '"-0.50"'],
    ['1e5', '"100000"'],
    ['1.50E+1', '"15.0"'],
    ['1.5e-3', '"0.0015"'],
    ['-12.5e1', '"-125"'],
    ['.001e2', '"0.1"'],
    ['.001e3', '"1"'],
    ['00.5e1', '"5"'],
    ['0e9999', '"0"'],
    ['-0e-2', '"0.00"'],
    ['1e99', `"1${'0'.repeat(99)}"`],
    ['1e-100', `"0.${'0'.repeat(99)}1"`],
  ])(
    'is stored without an exponent, and with digits before the decimal point (%s)',
    (sent, stored) => {
      expect(readDecimal(sent)).toBe(stored)
    },
  )

  it('has up to a hundred digits on each side of the decimal point', () => {
    const longest = `-${'9'.repeat(100)}.${'1'.repeat(100)}`
    expect(readDecimal(longest)).toBe(`"${longest}"`)
  })

  it('does not count leading zeros against the hundred digits', () => {
    expect(readDecimal(`${'0'.repeat(100)}${'9'.repeat(100)}`)).toBe(`"${'9'.repeat(100)}"`)
  })

  it.each([
    ['before the point', '9'.repeat(101)],
    ['after the point', `0.${'1'.repeat(101)}`],
    ['after the point, even if they are zeros', `1.${'0'.repeat(101)}`],
    ['before the point than its exponent allows', '1e100'],
    ['after the point than its exponent allows', '1e-101'],
    ['than any number needs', '1'.repeat(10_000)],
  ])('is refused with more digits %s', (_where, sent) => {
    expect(() => readDecimal(sent)).toThrow(
      refusedFor('has more than 100 digits on one side of the decimal point'),
    )
  })

  it.each([
    [-3, '"-3"'],
    [-0, '"0"'],
    [123456789012345, '"123456789012345"'],
    [2 ** 53 - 1, '"9007199254740991"'],
  ])('can be the JSON integer %d, which is exact as a double', (sent, stored) => {
    expect(readDecimal(sent)).toBe(stored)
  })

  it.each([12.5, 0.1 + 0.2, 1e20, 1e21, 1e-7, 2 ** 53, NaN, Infinity])(
    'is refused as the JSON number %d, which may have lost digits',
    (sent) => {
      expect(() => readDecimal(sent)).toThrow(
        refusedFor('may have lost digits as a JSON number; send a decimal as a JSON string'),
      )
    },
  )

  it.each(
    [
      ...NEVER_NUMBERS.filter((value) => typeof value !== 'number'),
      '.',
      '1.2.3',
      'e5',
      '1e',
      '1e+',
      '1e99999',
      'NaN',
      'Infinity',
    ].map(only),
  )('is never %o', (value) => {
    expect(() => readDecimal(value)).toThrow(refusedFor('is not a decimal'))
  })
})

describe.each(['float', 'double'] as const)('a %s', (type) => {
  const read = scalarReader(type)

  it.each([
    [1.5, '1.5'],
    [-2, '-2'],
    [1e21, '1e+21'],
    [1e-7, '1e-7'],
    [5e-30, '5e-30'],
  ])('is stored as a JSON number (%d)', (sent, stored) => {
    expect(read(sent)).toBe(stored)
  })

  it.each(['NaN', 'Infinity', '-Infinity'])('can be %s, which is a JSON string', (text) => {
    expect(read(text)).toBe(`"${text}"`)
  })

  it.each([
    ['1.5', '1.5'],
    ['+1.5', '1.5'],
    ['-1.50', '-1.5'],
    ['1.', '1'],
    ['.5', '0.5'],
    ['1e3', '1000'],
    ['1E+3', '1000'],
    ['1.5e-3', '0.0015'],
  ])('can be sent as the text %s', (sent, stored) => {
    expect(read(sent)).toBe(stored)
  })

  it.each([-0, '-0', '-0.0', '0e9'])('has one zero in all spellings (%j)', (value) => {
    expect(read(value)).toBe('0')
  })

  it.each(
    [
      ...NEVER_NUMBERS,
      '.',
      '1.2.3',
      'e5',
      '1e',
      '1e+',
      '1e99999',
      'nan',
      'infinity',
      '+Infinity',
      '--Infinity',
    ].map(only),
  )('is never %o', (value) => {
    expect(() => read(value)).toThrow(refusedAsNot(type))
  })

  it.each(['1e400', '-1e400'])('is never %s, too large even for a double', (value) => {
    expect(() => read(value)).toThrow(refusedAsNot(type))
  })
})

describe('the range of floating-point numbers', () => {
  it('includes the largest and the smallest double', () => {
    const read = scalarReader('double')
    expect(read(Number.MAX_VALUE)).toBe('1.7976931348623157e+308')
    expect(read(-Number.MAX_VALUE)).toBe('-1.7976931348623157e+308')
    expect(read(Number.MIN_VALUE)).toBe('5e-324')
  })

  it('includes the largest float, and nothing that overflows it', () => {
    const read = scalarReader('float')
    const largest = (2 - 2 ** -23) * 2 ** 127
    expect(JSON.parse(read(largest))).toBe(largest)
    expect(JSON.parse(read(-largest))).toBe(-largest)
    for (const tooLarge of [2 ** 128, -(2 ** 128), Number.MAX_VALUE, '1e39']) {
      expect(() => read(tooLarge)).toThrow(refusedFor('is outside float'))
    }
  })
})
