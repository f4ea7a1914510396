import { describe, expect, it } from 'vitest'
import type { PropertyType, ScalarType } from '../../ontology/definition/property-type.ts'
import { textCellReader, typedCellReader } from './read-cell.ts'
import { jsonCell } from './read-json-cell.ts'

const scalar = (type: ScalarType) => ({ kind: 'scalar', type }) as const
const texts: PropertyType = { kind: 'array', items: scalar('string') }
const struct: PropertyType = {
  kind: 'struct',
  fields: new Map([
    ['text', scalar('string')],
    ['at', scalar('timestamp')],
    ['count', scalar('long')],
  ]),
}

describe('the text of a cell', () => {
  it.each<[ScalarType, string, unknown]>([
    ['string', ' as it is ', ' as it is '],
    ['integer', ' 42 ', 42],
    ['byte', '-128', -128],
    ['long', '9223372036854775807', '9223372036854775807'],
    ['double', '1.50', 1.5],
    ['double', '.5', 0.5],
    ['double', 'NaN', 'NaN'],
    ['double', '9007199254740994', 9007199254740994],
    ['double', '-123456789012345680000', -123456789012345680000],
    ['double', '0.12345678901234567891', 0.12345678901234568],
    ['decimal', '0.10', '0.10'],
    ['boolean', 'TRUE', true],
    ['boolean', 'No', false],
    ['boolean', '1', true],
    ['date', '2001-02-03', '2001-02-03'],
    ['date', '2001-02-03T00:00:00.000Z', '2001-02-03'],
    ['timestamp', '2001-02-03 04:05', '2001-02-03T04:05:00Z'],
    ['timestamp', '2001-02-03T04:05:06', '2001-02-03T04:05:06Z'],
    ['timestamp', '2001-02-03T04:05:06.5+02:00', '2001-02-03T02:05:06.500Z'],
    ['timestamp', '2001-02-03 04:05:06-0500', '2001-02-03T09:05:06Z'],
    ['timestamp', '2001-02-03 04:05:06 UTC', '2001-02-03T04:05:06Z'],
    ['timestamp', '2001-02-03', '2001-02-03T00:00:00Z'],
    ['geopoint', '48.1, 11.5', { type: 'Point', coordinates: [11.5, 48.1] }],
    ['geopoint', '{"type":"Point","coordinates":[1,2]}', { type: 'Point', coordinates: [1, 2] }],
    ['geoshape', '{"type":"MultiPoint","coordinates":[]}', { type: 'MultiPoint', coordinates: [] }],
    ['attachment', '{"rid":"x"}', { rid: 'x' }],
  ])('is read as %s: %j', (type, text, value) => {
    expect(JSON.parse(textCellReader(scalar(type))(text))).toEqual(value)
  })

  it.each<[ScalarType, string, string]>([
    ['integer', '2147483648', 'is outside integer'],
    ['integer', '1.5', 'is not an integer'],
    ['integer', 'NA', 'is not an integer'],
    ['long', '9223372036854775808', 'is outside long'],
    ['double', '1,5', 'is not a double'],
    ['double', '9'.repeat(309), 'is not a double'],
    ['boolean', 'maybe', 'is not a boolean'],
    ['boolean', 'constructor', 'is not a boolean'],
    ['date', '2001-02-30', 'has a day that its month does not have'],
    ['date', '3.2.2001', 'is not a date'],
    ['timestamp', '2001-02-30 04:05', 'has a day that its month does not have'],
    ['timestamp', '2001-02-03 24:00', 'has a time of day outside 00:00:00 to 23:59:59'],
    ['timestamp', 'yesterday', 'is not a timestamp'],
    ['geopoint', '48.1', 'is not a geopoint'],
    ['geopoint', '{', 'is not JSON'],
    ['string', 'a\0b', 'U+0000'],
  ])('is rejected as %s: %j', (type, text, reason) => {
    expect(() => textCellReader(scalar(type))(text)).toThrow(reason)
  })

  it('can be a JSON array or struct', () => {
    expect(textCellReader(texts)('["a", 1]')).toBe('["a","1"]')
    expect(textCellReader(struct)('{"text":"a","at":"2001-02-03"}')).toBe(
      '{"text":"a","at":"2001-02-03T00:00Z"}',
    )
    expect(() => textCellReader(texts)('{}')).toThrow('is not a JSON array')
    expect(() => textCellReader(struct)('[]')).toThrow('is not a JSON object')
    expect(() => textCellReader(struct)('{"a"')).toThrow('is not JSON')
  })
})

describe('the value of a typed column', () => {
  it.each<[ScalarType, unknown, unknown]>([
    ['string', 'a', 'a'],
    ['string', 5n, '5'],
    ['string', { a: 1n }, '{"a":1}'],
    ['integer', 5n, 5],
    ['integer', '5', 5],
    ['long', 5n, '5'],
    ['long', 5, '5'],
    ['double', 5n, 5],
    ['double', -123456789012345680000n, -123456789012345680000],
    ['double', Number.NaN, 'NaN'],
    ['double', -Infinity, '-Infinity'],
    ['decimal', 0.5, '0.5'],
    ['decimal', 1e-7, '0.0000001'],
    ['decimal', 5n, '5'],
    ['boolean', false, false],
    ['boolean', 1, true],
    ['date', '2001-02-03', '2001-02-03'],
    ['timestamp', '2001-02-03T04:05:06.000Z', '2001-02-03T04:05:06Z'],
    ['geopoint', { type: 'Point', coordinates: [1, 2] }, { type: 'Point', coordinates: [1, 2] }],
  ])('is read as %s: %o', (type, value, expected) => {
    expect(JSON.parse(typedCellReader(scalar(type))(value))).toEqual(expected)
  })

  it('is rejected, not rounded', () => {
    expect(() => typedCellReader(scalar('double'))(2n ** 53n + 1n)).toThrow('more digits')
    expect(() => typedCellReader(scalar('integer'))(2n ** 31n)).toThrow('is outside integer')
    expect(() => typedCellReader(scalar('integer'))(0.5)).toThrow('is not an integer')
  })

  it('can be an array or a struct', () => {
    expect(typedCellReader(texts)(['a', 5n])).toBe('["a","5"]')
    expect(typedCellReader(struct)({ text: 'a', at: null, count: 7n })).toBe(
      '{"text":"a","count":"7"}',
    )
    expect(() => typedCellReader(texts)(['a', null])).toThrow('is null')
    expect(() => typedCellReader(struct)({ other: 1 })).toThrow('is not a field')
    expect(() => typedCellReader(struct)(7)).toThrow('is not a JSON object')
  })

  it('is written without an exponent', () => {
    expect([1e21, -1.5e22, 1.25e-9, 12, 5n].map(typedCellReader(scalar('decimal')))).toEqual([
      '"1000000000000000000000"',
      '"-15000000000000000000000"',
      '"0.00000000125"',
      '"12"',
      '"5"',
    ])
  })
})

describe('a JSON value', () => {
  it('is sent unchanged if the service accepts it', () => {
    expect(jsonCell(scalar('integer')).fits).toBeUndefined()
    expect(jsonCell({ kind: 'array', items: scalar('double') }).fits).toBeUndefined()
    expect(jsonCell(texts).fits?.(['a', 'b'])).toBe(true)
    expect(jsonCell(scalar('timestamp')).fits?.('2001-02-03T04:05:06+02:00')).toBe(true)
  })

  it.each<[PropertyType, unknown, unknown]>([
    [scalar('string'), 300, '300'],
    [scalar('string'), { a: [1] }, '{"a":[1]}'],
    [scalar('timestamp'), '2001-02-03 04:05:06', '2001-02-03T04:05:06Z'],
    [texts, ['a', true], ['a', 'true']],
    [
      struct,
      { text: 5, at: '2001-02-03', count: null },
      { text: '5', at: '2001-02-03T00:00Z', count: null },
    ],
  ])('is converted if its meaning is clear', (type, value, expected) => {
    const cell = jsonCell(type)
    expect(cell.fits?.(value)).toBe(false)
    expect(JSON.parse(cell.write(value))).toEqual(expected)
  })

  it('is left to the service if it is invalid', () => {
    expect(jsonCell(texts).write('a')).toBe('"a"')
    expect(jsonCell(texts).write([null, 'a'])).toBe('[null,"a"]')
    expect(jsonCell(struct).write(5)).toBe('5')
    expect(jsonCell(scalar('timestamp')).write('soon')).toBe('"soon"')
    expect(jsonCell(scalar('double')).write(Infinity)).toBe('1e999')
  })
})
