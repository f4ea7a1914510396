import { describe, expect, it } from 'vitest'
import { readObject } from '../../formats/json/geojson.ts'
import type { CellKind, Row } from '../../formats/row.ts'
import type { PropertyDefinition } from '../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { ColumnMismatch, type ColumnOptions } from './column-plan.ts'
import { isRejected, rowReader } from './row-to-object.ts'

function typeWith(properties: Record<string, PropertyDefinition>, primaryKey = 'id'): ObjectType {
  const objectTypes = [{ apiName: 'thing', primaryKey, properties }]
  const type = parseDefinition({ apiName: 'test', objectTypes }).objectTypes.get('thing')
  if (type === undefined) throw new Error('there is no such type')
  return type
}

const thing = typeWith({
  id: { type: 'integer' },
  name: { type: 'string' },
  openedAt: { type: 'timestamp' },
  tags: { type: 'array', items: { type: 'string' } },
})

const rowOf = (cells: Row['cells'], json?: string): Row =>
  json === undefined ? { line: 2, cells } : { line: 2, cells, json }

function read(type: ObjectType, kind: CellKind, cells: Row['cells'], options?: ColumnOptions) {
  return rowReader(type, options)(rowOf(cells), kind)
}

function objectOf(type: ObjectType, kind: CellKind, cells: Row['cells'], options?: ColumnOptions) {
  const result = read(type, kind, cells, options)
  if (isRejected(result)) throw new Error(`${result.property} ${result.reason}`)
  return JSON.parse(result.json)
}

describe('columns named by a path', () => {
  const lines: PropertyDefinition = {
    type: 'array',
    items: { type: 'struct', fields: { sku: { type: 'string' } } },
  }
  const visit = typeWith({
    id: { type: 'integer' },
    address: {
      type: 'struct',
      fields: {
        city: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
        geo: { type: 'struct', fields: { lat: { type: 'double' }, at: { type: 'date' } } },
      },
    },
    lines,
  })

  it('provide the fields of a struct', () => {
    const cells = {
      id: '1',
      'address.geo.lat': '46.9',
      'address.city': 'Bern',
      'address.geo.at': '',
    }
    expect(objectOf(visit, 'text', { ...cells, 'address.tags': '["a"]' })).toEqual({
      id: 1,
      address: { geo: { lat: 46.9 }, city: 'Bern', tags: ['a'] },
    })
    expect(objectOf(visit, 'text', { id: '1', 'address.geo.lat': '' })).toEqual({ id: 1 })
  })

  it('are named by what is rejected in them', () => {
    expect(read(visit, 'text', { id: '1', 'address.geo.lat': 'north' })).toEqual({
      column: 'address.geo.lat',
      property: 'address.geo.lat',
      reason: 'is not a double',
      excerpt: 'north',
    })
    expect(() => read(visit, 'text', { id: '1', address: '{}', 'address.city': 'x' })).toThrow(
      'column "address" and the columns of address both provide the property address',
    )
    expect(() => read(visit, 'text', { id: '1', 'lines.sku': 'x' })).toThrow(ColumnMismatch)
  })
})

describe('a row of CSV', () => {
  it('is converted according to the types of the properties', () => {
    const result = read(thing, 'text', {
      id: '7',
      name: '',
      'opened at': '2001-02-03',
      tags: '["a"]',
    })
    expect(result).toEqual({
      key: '7',
      json: '{"id":7,"name":"","openedAt":"2001-02-03T00:00:00Z","tags":["a"]}',
    })
  })

  it('is rejected with column, property, reason and value', () => {
    expect(read(thing, 'text', { id: '1', 'opened at': 'yesterday' })).toEqual({
      column: 'opened at',
      property: 'openedAt',
      reason: 'is not a timestamp: ISO 8601 with Z or an offset',
      excerpt: 'yesterday',
    })
    expect(read(thing, 'text', { id: '', name: 'a' })).toMatchObject({
      property: 'id',
      reason: 'is the primary key and is missing',
    })
  })

  it('stops the import if a column has no property', () => {
    const reader = rowReader(thing)
    const row = rowOf({ id: '1', 'an extra': 'x', other: 'y' })
    expect(() => reader(row, 'text')).toThrow(ColumnMismatch)
    expect(() => reader(row, 'text')).toThrow(
      expect.objectContaining({
        message: 'thing has no property for the columns "an extra", "other"',
        remedy: { do: 'skipOrMapColumns', columns: ['an extra', 'other'] },
      }),
    )
  })

  it('stops the import if no column provides the key', () => {
    expect(() => read(thing, 'text', { name: 'a' })).toThrow(
      expect.objectContaining({
        message: 'no column provides id, the primary key of thing',
        remedy: { do: 'provideKey', property: 'id', areNumbersTaken: false },
      }),
    )
  })

  it('is read as the options say', () => {
    const options = { map: new Map([['title', 'name']]), ignore: new Set(['extra']) }
    expect(objectOf(thing, 'text', { id: '1', title: 'a', extra: 'x' }, options)).toEqual({
      id: 1,
      name: 'a',
    })
  })

  it('stops the import if two columns provide the same property', () => {
    const options = { map: new Map([['title', 'name']]) }
    expect(() => read(thing, 'text', { id: '1', title: 'a', name: 'b' }, options)).toThrow(
      'column "title" and column "name" both provide the property name',
    )
    expect(() => read(thing, 'text', { id: '1' }, { rowNumber: 'id' })).toThrow(
      'the row number and column "id" both provide the property id',
    )
  })
})

describe('a number in a file with decimal commas', () => {
  const measured = typeWith({ id: { type: 'string' }, n: { type: 'double' } })
  const readNumber = (n: string) =>
    read(measured, 'text', { id: 'a', n }, { texts: { numbers: 'decimal comma' } })

  it.each([
    ['12.345', 12345],
    ['1,5', 1.5],
    ['-7', -7],
    ['1e3', 1000],
  ])('is read: %s', (text, number) => {
    expect(readNumber(text)).toMatchObject({ json: `{"id":"a","n":${number}}` })
  })

  it.each(['1.5', '-.5', '12.34', '1.5e3'])('is rejected with a decimal point: %s', (text) => {
    expect(readNumber(text)).toMatchObject({
      property: 'n',
      reason: 'has a decimal point, but the column has decimal commas',
    })
  })
})

describe('options that do not match the type', () => {
  it.each<[ColumnOptions, object, string]>([
    [
      { map: new Map([['a', 'b']]) },
      { name: 'map', value: 'a=b' },
      'thing has no property b; its properties are: id, name, openedAt, tags',
    ],
    [
      { rowNumber: 'tags' },
      { name: 'rowNumber', value: 'tags' },
      'tags has the type array, but needs string, short, integer, long, double, decimal',
    ],
    [
      { geopoints: new Map([['name', { latitude: 'a', longitude: 'b' }]]) },
      { name: 'geopoints', value: 'name=a,b' },
      'name has the type string, but needs geopoint',
    ],
  ])('are rejected: %o', (options, option, message) => {
    expect(() => rowReader(thing, options)).toThrow(expect.objectContaining({ option, message }))
  })
})

describe('a row of JSON', () => {
  const json = '{ "id": 1, "name": "a" }'

  it('is sent as it is if nothing changes', () => {
    const result = rowReader(thing)(rowOf({ id: 1, name: 'a' }, json), 'json')
    expect(result).toEqual({ key: '1', json })
  })

  it.each<[string, Row, ColumnOptions, unknown]>([
    ['a value is changed', rowOf({ id: 1, name: 5 }, json), {}, { id: 1, name: '5' }],
    ['a column is left out', rowOf({ id: 1, x: 5 }, json), { ignore: new Set(['x']) }, { id: 1 }],
    ['a column is renamed', rowOf({ id: 1, 'opened at': null }, json), {}, { id: 1 }],
    ['it has several lines', rowOf({ id: 1 }, '{"id":\n1}'), {}, { id: 1 }],
    ['its text is not known', rowOf({ id: 1, tags: [] }), {}, { id: 1, tags: [] }],
  ])('is rewritten if %s', (_when, row, options, expected) => {
    const result = rowReader(thing, options)(row, 'json')
    if (isRejected(result)) throw new Error(result.reason)
    expect(JSON.parse(result.json)).toEqual(expected)
  })

  it('gets its number as the key if its type was made for numbered rows', () => {
    const row = rowOf({ name: 'a' }, '{"name":"a"}')
    expect(rowReader(thing, { numberRows: true })(row, 'json')).toEqual({
      key: '1',
      json: '{"id":1,"name":"a"}',
    })
  })

  it('can have other columns than other rows, so it is rejected alone', () => {
    const reader = rowReader(thing)
    expect(reader(rowOf({ id: 1, extra: 2 }), 'json')).toMatchObject({
      column: 'extra',
      reason: expect.stringContaining('thing has no property for the column "extra"'),
    })
    expect(reader(rowOf({ name: 'a' }), 'json')).toMatchObject({
      reason: expect.stringContaining('the primary key'),
    })
    expect(isRejected(reader(rowOf({ id: 1 }), 'json'))).toBe(false)
  })

  it('has the same key in every notation', () => {
    const reader = rowReader(typeWith({ id: { type: 'timestamp' } }))
    const keys = ['2001-02-03T04:05:06Z', '2001-02-03T05:05:06+01:00', '2001-02-03 04:05:06.000']
    expect(keys.map((id) => reader(rowOf({ id }), 'json'))).toMatchObject(
      keys.map(() => ({ key: '"2001-02-03T04:05:06Z"' })),
    )
  })

  it('is rejected if its key is empty or too long', () => {
    const reader = rowReader(typeWith({ id: { type: 'string' } }))
    expect(reader(rowOf({ id: '' }), 'json')).toMatchObject({
      reason: 'is the primary key and is empty',
    })
    expect(isRejected(reader(rowOf({ id: 'é'.repeat(256) }), 'json'))).toBe(false)
    expect(reader(rowOf({ id: 'é'.repeat(257) }), 'json')).toMatchObject({
      reason: 'is longer than 512 bytes, too long for a key',
    })
  })
})

describe('a latitude and a longitude column', () => {
  const located = typeWith({ id: { type: 'string' }, place: { type: 'geopoint' } })
  const two = typeWith({
    id: { type: 'string' },
    originLocation: { type: 'geopoint' },
    targetLocation: { type: 'geopoint' },
  })

  it.each<CellKind>(['text', 'json', 'typed'])('become a geopoint: %s', (kind) => {
    expect(objectOf(located, kind, { id: 'a', Lat: 48, LNG: 11.5 })).toEqual({
      id: 'a',
      place: { type: 'Point', coordinates: [11.5, 48] },
    })
    expect(objectOf(located, kind, { id: 'a', lat: null, lon: null })).toEqual({ id: 'a' })
  })

  it('are read in the style of the file', () => {
    const texts = { numbers: 'decimal comma', nulls: ['x'] } as const
    expect(objectOf(located, 'text', { id: 'a', lat: '48,5', lon: '11' }, { texts })).toEqual({
      id: 'a',
      place: { type: 'Point', coordinates: [11, 48.5] },
    })
    expect(objectOf(located, 'text', { id: 'a', lat: 'x', lon: 'x' }, { texts })).toEqual({
      id: 'a',
    })
  })

  it('are matched to geopoints by name', () => {
    const cells = { id: 'a', target_lat: '1', target_lon: '2', origin_lat: '3', origin_lon: '4' }
    expect(objectOf(two, 'text', cells)).toMatchObject({
      originLocation: { coordinates: [4, 3] },
      targetLocation: { coordinates: [2, 1] },
    })
  })

  it('can be named explicitly', () => {
    const geopoints = new Map([['place', { latitude: 'y', longitude: 'x' }]])
    const result = objectOf(located, 'text', { id: 'a', x: '1', y: '2' }, { geopoints })
    expect(result.place.coordinates).toEqual([1, 2])
    expect(() => read(located, 'text', { id: 'a', x: '1' }, { geopoints })).toThrow(
      expect.objectContaining({
        option: { name: 'geopoints', value: 'place' },
        message: 'the file has no column "y"',
      }),
    )
  })

  it('are rejected if one of the two is empty', () => {
    expect(read(located, 'text', { id: 'a', lat: '1', lon: '' })).toMatchObject({
      property: 'place',
      reason: 'has a latitude but no longitude',
    })
  })
})

it('numbers the rows of all files, including unreadable ones', () => {
  const reader = rowReader(typeWith({ row: { type: 'long' }, name: { type: 'string' } }, 'row'), {
    rowNumber: 'row',
  })
  expect(reader(rowOf({ name: 'a' }), 'text')).toEqual({
    key: '"1"',
    json: '{"row":"1","name":"a"}',
  })
  expect(reader({ line: 3, reason: 'has too few columns', excerpt: 'x' }, 'text')).toEqual({
    reason: 'has too few columns',
    excerpt: 'x',
  })
  expect(reader(rowOf({ name: 'c' }), 'json')).toMatchObject({ key: '"3"' })
})

describe('a number in JSON with more digits than a double', () => {
  const priced = typeWith({
    id: { type: 'string' },
    price: { type: 'decimal' },
    prices: { type: 'array', items: { type: 'decimal' } },
    note: { type: 'string' },
    size: { type: 'double' },
  })
  const readLine = (text: string) => {
    const read = rowReader(priced)(readObject(1, text), 'json')
    return 'json' in read ? JSON.parse(read.json) : read
  }

  it('keeps its digits as a decimal', () => {
    const long = '0.12345678901234567890'
    expect(
      readLine(`{"id":"a","price":${long},"prices":[1.5,-${long}],"note":"n","size":${long}}`),
    ).toEqual({ id: 'a', price: long, prices: ['1.5', `-${long}`], note: 'n', size: Number(long) })
    expect(readLine(`{"id":"a","price":12345678901234567890.5}`)).toEqual({
      id: 'a',
      price: '12345678901234567890.5',
    })
    expect(readLine(`{"id":"9007199254740993","size":9007199254740993,"price":${long}}`)).toEqual({
      reason: expect.stringContaining('has more digits than a double can hold'),
      column: 'size',
      excerpt: '9007199254740993',
      property: 'size',
    })
  })

  it('is sent as text if it is a fraction, which the service would refuse as a number', () => {
    expect(readLine('{"id":"a","price":1.5,"prices":[2,0.25]}')).toEqual({
      id: 'a',
      price: '1.5',
      prices: [2, '0.25'],
    })
    const line = '{"id":"a","price":7,"size":0.5}'
    expect(rowReader(priced)(readObject(1, line), 'json')).toMatchObject({ json: line })
  })
})
