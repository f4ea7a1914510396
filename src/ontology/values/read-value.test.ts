import { describe, expect, it } from 'vitest'
import { only, refusedFor } from '../../../test/support/refused-values.ts'
import type { ArrayType, ScalarType, StructType } from '../definition/property-type.ts'
import { SCALAR_TYPES } from '../definition/property-type.ts'
import { scalarReader, valueReader } from './read-value.ts'

const struct = (fields: Record<string, ScalarType>): StructType => ({
  kind: 'struct',
  fields: new Map(Object.entries(fields).map(([name, type]) => [name, { kind: 'scalar', type }])),
})
const arrayOf = (items: ScalarType | StructType): ArrayType => ({
  kind: 'array',
  items: typeof items === 'string' ? { kind: 'scalar', type: items } : items,
})

describe('a scalar', () => {
  it.each([
    ['string', 'LAX', '"LAX"'],
    ['boolean', true, 'true'],
    ['byte', 127, '127'],
    ['short', 32767, '32767'],
    ['integer', 2147483647, '2147483647'],
    ['long', '9223372036854775807', '"9223372036854775807"'],
    ['float', 0.5, '0.5'],
    ['double', 0.1, '0.1'],
    ['decimal', '0.10', '"0.10"'],
    ['date', '2026-01-31', '"2026-01-31"'],
    ['timestamp', '2026-01-31T00:00:00+01:00', '"2026-01-30T23:00:00Z"'],
    ['geopoint', { type: 'Point', coordinates: [1, 2] }, '{"type":"Point","coordinates":[1,2]}'],
    ['geoshape', { type: 'Point', coordinates: [1, 2] }, '{"type":"Point","coordinates":[1,2]}'],
    ['attachment', { rid: 'ri.a' }, '{"rid":"ri.a"}'],
    ['marking', 'SECRET', '"SECRET"'],
  ] as const)('of type %s has one JSON text', (type, sent, stored) => {
    expect(valueReader({ kind: 'scalar', type })(sent)).toBe(stored)
  })

  it.each(['byte', 'short', 'integer', 'float', 'double', 'boolean'] as const)(
    'of type %s can be sent as a JSON string',
    (type) => {
      const value = type === 'boolean' ? true : 1
      expect(scalarReader(type)(String(value))).toBe(scalarReader(type)(value))
    },
  )

  it.each(SCALAR_TYPES)('of type %s is never null, an array or an empty object', (type) => {
    for (const value of [null, undefined, [], [null], {}]) {
      expect(() => scalarReader(type)(value)).toThrow(
        expect.objectContaining({ name: 'RefusedValue', path: '' }),
      )
    }
  })
})

describe('a string', () => {
  const read = scalarReader('string')

  it.each([
    '',
    ' ',
    'Zürich',
    '日本',
    '👩‍✈️',
    '\u{10ffff}',
    '\ufeff',
    '\uffff',
    'e\u0301',
    '\u2028\u2029',
    'a"b\\c/d',
    'line\nbreak\ttab\u0001\u001f\u007f',
    '</script><!--',
    '__proto__',
    'null',
  ])('is stored as it was sent: %j', (text) => {
    expect(JSON.parse(read(text))).toBe(text)
  })

  it('stays on one line of NDJSON', () => {
    expect(read('a\nb\r\nc')).toBe('"a\\nb\\r\\nc"')
  })

  it.each(['\0', 'a\0b', 'end\0'])('cannot contain U+0000: %j', (text) => {
    expect(() => read(text)).toThrow(refusedFor('contains the character U+0000'))
  })

  it.each(['\ud83d', '\ude00', 'a\ud83d', '\ude00\ud83d', '\ud83d\ud83d\ude00'])(
    'cannot contain an unpaired surrogate: %j',
    (text) => {
      expect(() => read(text)).toThrow(refusedFor('contains an unpaired surrogate'))
    },
  )

  it.each([1, true, ['a'], { toString: 'a' }].map(only))('is never %j', (value) => {
    expect(() => read(value)).toThrow(refusedFor('is not a string'))
  })
})

describe('a boolean', () => {
  const read = scalarReader('boolean')

  it('can be true or false, as a boolean or as text', () => {
    expect([true, 'true', false, 'false'].map(read)).toEqual(['true', 'true', 'false', 'false'])
  })

  it.each([0, 1, '', '1', 'TRUE', 'True', 'yes', ' true', 'null'].map(only))(
    'is never %j',
    (value) => {
      expect(() => read(value)).toThrow(refusedFor('is not a boolean'))
    },
  )
})

describe('an attachment', () => {
  const read = scalarReader('attachment')

  it.each(
    ['ri.a', ['ri.a'], { id: 'ri.a' }, { rid: 'ri.a', name: 'x' }, { rid: 'ri.a', id: null }].map(
      only,
    ),
  )('is never %j', (value) => {
    expect(() => read(value)).toThrow(refusedFor('is not an attachment: {"rid": …}'))
  })

  it.each([null, 1, {}, ['ri.a']].map(only))('has no RID %j', (rid) => {
    expect(() => read({ rid })).toThrow(/is not a string$/)
  })

  it('has a RID that follows the rules of strings', () => {
    expect(() => read({ rid: 'a\0' })).toThrow(/contains the character U\+0000$/)
    expect(read({ rid: 'a"b' })).toBe('{"rid":"a\\"b"}')
  })
})

describe('an array', () => {
  it('keeps the order and the duplicates of its items', () => {
    expect(valueReader(arrayOf('string'))(['b', 'a', 'b'])).toBe('["b","a","b"]')
  })

  it('can be empty', () => {
    expect(valueReader(arrayOf('integer'))([])).toBe('[]')
  })

  it('stores each item in the text of its type', () => {
    expect(valueReader(arrayOf('long'))([1, '+2', '03'])).toBe('["1","2","3"]')
    expect(valueReader(arrayOf('double'))([1, '2.50', 'NaN'])).toBe('[1,2.5,"NaN"]')
  })

  it('names the refused item', () => {
    expect(() => valueReader(arrayOf('long'))([1, 2, 'x', 'y'])).toThrow(
      refusedFor('is not a long', '[2]'),
    )
  })

  it('cannot contain null', () => {
    expect(() => valueReader(arrayOf('string'))(['a', null])).toThrow(
      refusedFor('is not a string', '[1]'),
    )
    expect(() => valueReader(arrayOf(struct({ text: 'string' })))([null])).toThrow(
      refusedFor('is not a struct: a JSON object', '[0]'),
    )
  })

  it('cannot contain arrays', () => {
    expect(() => valueReader(arrayOf('string'))([['a']])).toThrow(
      refusedFor('is not a string', '[0]'),
    )
    expect(() => valueReader(arrayOf(struct({ text: 'string' })))([[]])).toThrow(
      refusedFor('is not a struct: a JSON object', '[0]'),
    )
  })

  it.each([null, 'a', 1, {}, { 0: 'a', length: 1 }].map(only))('is never %j', (value) => {
    expect(() => valueReader(arrayOf('string'))(value)).toThrow(refusedFor('is not an array'))
  })

  it('names the refused field and item', () => {
    const read = valueReader(arrayOf(struct({ text: 'string', year: 'integer' })))
    expect(() => read([{ text: 'a' }, { text: 'b', year: 2 ** 31 }])).toThrow(
      refusedFor('is outside integer: -2147483648 to 2147483647', '[1].year'),
    )
  })
})

describe('a struct', () => {
  const type = struct({ text: 'string', year: 'integer', at: 'geopoint' })
  const read = valueReader(type)

  it('stores each field in the text of its type', () => {
    expect(read({ text: 'a', year: '7', at: { type: 'Point', coordinates: [1, 2] } })).toBe(
      '{"text":"a","year":7,"at":{"type":"Point","coordinates":[1,2]}}',
    )
  })

  it('omits nulls, even if no field is left', () => {
    expect(read({ text: null, year: 1, at: null })).toBe('{"year":1}')
    expect(read({ text: null })).toBe('{}')
    expect(read({})).toBe('{}')
  })

  it.each(['other', 'Text', 'text ', '', '__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'refuses the undefined field %j',
    (name) => {
      const value = JSON.parse(`{"text":"a",${JSON.stringify(name)}:null}`)
      expect(() => read(value)).toThrow(refusedFor('is not a field of this struct', `.${name}`))
    },
  )

  it.each(['__proto__', 'constructor', 'toString', 'a.b', '0'])('can define a field %j', (name) => {
    const readOdd = valueReader({
      kind: 'struct',
      fields: new Map([[name, { kind: 'scalar', type: 'integer' }]]),
    })
    expect(readOdd(JSON.parse(`{"${name}":1}`))).toBe(`{"${name}":1}`)
    expect(readOdd({})).toBe('{}')
  })

  it('names the refused field', () => {
    expect(() => read({ text: 'a', at: { type: 'Point', coordinates: [0, 91] } })).toThrow(
      refusedFor('has a latitude outside -90 to 90', '.at'),
    )
    expect(() => read({ text: { text: 'a' } })).toThrow(refusedFor('is not a string', '.text'))
    expect(() => read({ text: ['a'] })).toThrow(refusedFor('is not a string', '.text'))
  })

  it.each([null, 'a', 1, [], [{}]].map(only))('is never %j', (value) => {
    expect(() => read(value)).toThrow(refusedFor('is not a struct: a JSON object'))
  })
})
