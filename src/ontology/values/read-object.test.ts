import { describe, expect, it } from 'vitest'
import { only } from '../../../test/support/refused-values.ts'
import { OBJECT_MAX_BYTES, OBJECT_MAX_POSITIONS, OBJECT_MAX_VALUES } from '../../contract/limits.ts'
import type { ObjectTypeDefinition } from '../definition/definition-schema.ts'
import { parseDefinition } from '../definition/parse-definition.ts'
import type { ObjectType } from '../ontology.ts'
import { objectReader, objectSteps, RefusedObject, readObjectKey } from './read-object.ts'

function objectType(definition: Partial<ObjectTypeDefinition> = {}): ObjectType {
  const type: ObjectTypeDefinition = {
    apiName: 'airport',
    rid: 'ri.ontology.main.object-type.1',
    primaryKey: 'id',
    titleProperty: 'name',
    properties: {
      id: { type: 'string' },
      name: { type: 'string' },
      elevation: { type: 'integer' },
      passengers: { type: 'long' },
      aliases: { type: 'array', items: { type: 'string' } },
      names: {
        type: 'array',
        items: { type: 'struct', fields: { text: { type: 'string' } } },
      },
    },
    ...definition,
  }
  const ontology = parseDefinition({ apiName: 'aviation', objectTypes: [type] })
  return ontology.objectTypes.get(type.apiName) as ObjectType
}

const refused = (reason: string, property?: string) =>
  expect.objectContaining({ name: 'RefusedObject', reason, property })

const readAirport = objectReader(objectType())

describe('an object', () => {
  it('is stored with its key, its title and its properties as JSON', () => {
    expect(
      readAirport({ id: 'LAX', name: 'Los Angeles', elevation: '125', passengers: 9 }),
    ).toMatchObject({
      pk: 'LAX',
      objectId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key: '"LAX"',
      title: '"Los Angeles"',
      body: '{"id":"LAX","name":"Los Angeles","elevation":125,"passengers":"9"}',
    })
  })

  it('has its properties in the order of the type, not of the request', () => {
    const { body } = readAirport({ passengers: 1, elevation: 2, name: 'a', id: 'b' })
    expect(body).toBe('{"id":"b","name":"a","elevation":2,"passengers":"1"}')
  })

  it('omits nulls and keeps empty values', () => {
    const { body } = readAirport({ id: 'a', name: null, elevation: null, aliases: [], names: [{}] })
    expect(body).toBe('{"id":"a","aliases":[],"names":[{}]}')
  })

  it('requires only its key', () => {
    expect(readAirport({ id: 'a' })).toMatchObject({ body: '{"id":"a"}', title: null })
  })

  it.each([{}, { name: 'a' }, { id: null }])('is refused without its key: %j', (properties) => {
    expect(() => readAirport(properties)).toThrow(
      refused('is the primary key and is missing', 'id'),
    )
  })

  it('is refused with an empty or overlong key', () => {
    expect(() => readAirport({ id: '' })).toThrow(
      refused('is empty; a primary key is part of paths and needs at least one character', 'id'),
    )
    expect(() => readAirport({ id: 'a'.repeat(513) })).toThrow(/^id is longer than 512 bytes/)
  })

  it.each(['Name', 'name ', '', '__proto__', 'constructor', 'toString', 'valueOf', 'rid'])(
    'is refused with a property %j that its type does not have, even if it is null',
    (name) => {
      const properties = JSON.parse(`{"id":"a",${JSON.stringify(name)}:null}`)
      expect(() => readAirport(properties)).toThrow(refused('is not a property of the type', name))
    },
  )

  it.each([null, undefined, 'a', 1, true, [], [{ id: 'a' }]].map(only))(
    'is never %j',
    (properties) => {
      expect(() => readAirport(properties)).toThrow(
        refused('the properties are not a JSON object', undefined),
      )
    },
  )

  it.each([
    [{ id: 'a', elevation: 2 ** 31 }, 'elevation'],
    [{ id: 'a', name: ['b'] }, 'name'],
    [{ id: 'a', aliases: ['b', 1] }, 'aliases[1]'],
    [{ id: 'a', aliases: [null] }, 'aliases[0]'],
    [{ id: 'a', names: [{}, { text: 1 }] }, 'names[1].text'],
    [{ id: 'a', names: [{ language: 'en' }] }, 'names[0].language'],
    [{ id: 5 }, 'id'],
  ])('is refused with the path of the invalid value: %j', (properties, path) => {
    const read = () => readAirport(properties)
    expect(read).toThrow(RefusedObject)
    expect(read).toThrow(expect.objectContaining({ property: path }))
  })

  it('has a one-sentence message with the path and the reason', () => {
    expect(() => readAirport({ id: 'a', aliases: [1] })).toThrow('aliases[0] is not a string')
  })

  it('can be as large as the limit, in stored bytes', () => {
    const around = readAirport({ id: 'a', name: 'é' }).body.length - 1
    const fits = 'é'.repeat((OBJECT_MAX_BYTES - around) / 2)
    expect(Buffer.byteLength(readAirport({ id: 'a', name: fits }).body)).toBeLessThanOrEqual(
      OBJECT_MAX_BYTES,
    )
    expect(() => readAirport({ id: 'a', name: `${fits}é` })).toThrow(
      refused(`the object is larger than ${OBJECT_MAX_BYTES} bytes`, undefined),
    )
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a.b-c_d'])(
    'can have a property named %s',
    (name) => {
      const properties = JSON.parse(`{"id":{"type":"string"},"${name}":{"type":"integer"}}`)
      const read = objectReader(objectType({ properties, titleProperty: name }))
      expect(read(JSON.parse(`{"id":"a","${name}":1}`))).toMatchObject({
        body: `{"id":"a","${name}":1}`,
        title: '"1"',
      })
      expect(read({ id: 'a' })).toMatchObject({ body: '{"id":"a"}', title: null })
    },
  )

  it.each(['__proto__', 'constructor'])('can have a key named %s', (name) => {
    const properties = JSON.parse(`{"${name}":{"type":"string"}}`)
    const read = objectReader(objectType({ primaryKey: name, titleProperty: name, properties }))
    expect(read(JSON.parse(`{"${name}":"a"}`)).pk).toBe('a')
    expect(() => read({})).toThrow(refused('is the primary key and is missing', name))
  })
})

describe('the title of an object', () => {
  it.each([
    ['string', 'a"b', '"a\\"b"'],
    ['string', '', '""'],
    ['integer', 5, '"5"'],
    ['boolean', false, '"false"'],
    ['long', '5', '"5"'],
    ['double', 1e21, '"1e+21"'],
    ['double', 'NaN', '"NaN"'],
    ['decimal', '1.50', '"1.50"'],
    ['date', '2026-01-31', '"2026-01-31"'],
    ['timestamp', '2026-01-31T01:00:00+01:00', '"2026-01-31T00:00:00Z"'],
  ] as const)('is a JSON string, whatever its property is: %s %j', (type, sent, title) => {
    const properties = { id: { type: 'string' as const }, name: { type } }
    expect(objectReader(objectType({ properties }))({ id: 'a', name: sent }).title).toBe(title)
  })

  it('may be the key', () => {
    expect(objectReader(objectType({ titleProperty: 'id' }))({ id: 'a' }).title).toBe('"a"')
  })

  it('is null if its property is absent or null, or the type has no title', () => {
    expect(readAirport({ id: 'a' }).title).toBeNull()
    expect(readAirport({ id: 'a', name: null }).title).toBeNull()
    const readUntitled = objectReader({ ...objectType(), titleProperty: undefined })
    expect(readUntitled({ id: 'a', name: 'b' }).title).toBeNull()
  })
})

describe('the id of an object', () => {
  it('is a UUID of version 8 that never changes', () => {
    // Clients store RIDs that contain it: another derivation would break them.
    expect(readAirport({ id: 'LAX' }).objectId).toBe('ca775ed9-435b-85e9-bd5c-6a31f6548f83')
  })

  it('depends only on the type and the key', () => {
    const { objectId } = readAirport({ id: 'LAX' })
    expect(readAirport({ id: 'LAX', name: 'other', elevation: 1 }).objectId).toBe(objectId)
    expect(readAirport({ id: 'LAY' }).objectId).not.toBe(objectId)
    const rid = 'ri.ontology.main.object-type.2'
    expect(objectReader(objectType({ rid }))({ id: 'LAX' }).objectId).not.toBe(objectId)
  })

  it('is one id for all spellings of a key', () => {
    const properties = { id: { type: 'long' as const }, name: { type: 'string' as const } }
    const read = objectReader(objectType({ properties }))
    const ids = [7, '7', '+7', '007'].map((id) => read({ id }).objectId)
    expect(new Set(ids).size).toBe(1)
    expect(read({ id: '007' })).toMatchObject({ key: '"7"', body: '{"id":"7"}' })
  })

  it('is a well-formed UUID, different for each key', () => {
    const ids = Array.from({ length: 2000 }, (_, n) => readAirport({ id: `k${n}` }).objectId)
    expect(new Set(ids).size).toBe(2000)
    const wellFormed = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    expect(ids.filter((id) => !wellFormed.test(id))).toEqual([])
  })
})

describe('the key of a deletion', () => {
  it('equals the key of the stored object', () => {
    const type = objectType({
      properties: { id: { type: 'timestamp' }, name: { type: 'string' } },
    })
    const { pk } = objectReader(type)({ id: '2026-01-01T00:00:00Z' })
    expect(readObjectKey(type, '2026-01-01T01:00:00+01:00').pk).toBe(pk)
  })

  it.each([null, undefined, 5, {}, { id: 'LAX' }, ['LAX']].map(only))('is never %j', (value) => {
    expect(() => readObjectKey(objectType(), value)).toThrow(refused('is not a string', 'id'))
  })
})

describe('an object with many values', () => {
  const lists: ObjectTypeDefinition['properties'] = {
    id: { type: 'string' },
    numbers: { type: 'array', items: { type: 'integer' } },
    points: {
      type: 'array',
      items: { type: 'struct', fields: { a: { type: 'string' }, b: { type: 'double' } } },
    },
  }
  const type = objectType({ properties: lists, titleProperty: 'id' })
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
  const points = (count: number) => numbers(count).map((b) => ({ a: `p${b}`, b }))

  it('is parsed in steps with the same result', () => {
    const properties = { id: 'x', numbers: numbers(25_000), points: points(12_000) }
    let pauses = 0
    const steps = objectSteps(type)(properties)
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) pauses += 1
    expect(step.value).toEqual(objectReader(type)(properties))
    expect(step.value.body).toBe(JSON.stringify(properties))
    // One after each 4,000 values: numbers are parsed and encoded, points parsed, doubles encoded.
    expect(pauses).toBe(2 * 6 + 2 * 3)
    const [all, texts, doubles] = step.value.searchable.elements
    expect(all?.values).toEqual(properties.numbers)
    expect(texts).toMatchObject({
      property: 'points',
      structField: 'a',
      values: { length: 12_000 },
    })
    expect(doubles).toMatchObject({ structField: 'b', values: { length: 12_000 } })
  })

  it('names the index of the invalid item', () => {
    const properties = { id: 'x', numbers: [...numbers(9000), 'no', ...numbers(9000)] }
    expect(() => objectReader(type)(properties)).toThrow('numbers[9000] is not an integer')
  })

  it('is refused with too many positions in its shapes, before any is parsed', () => {
    const shapeType = objectType({
      properties: {
        id: { type: 'string' },
        area: { type: 'geoshape' },
        areas: { type: 'array', items: { type: 'geoshape' } },
      },
      titleProperty: 'id',
    })
    const reason = `the object has more than ${OBJECT_MAX_POSITIONS} positions in shapes`
    const points = (count: number) => ({
      type: 'MultiPoint',
      coordinates: Array.from({ length: count }, () => [1, 2]),
    })
    const half = points(OBJECT_MAX_POSITIONS / 2)
    const shapes = { id: 'x', area: half, areas: [half] }
    expect(objectReader(shapeType)(shapes).pk).toBe('x')
    const one = { type: 'GeometryCollection', geometries: [points(1)] }
    expect(() => objectReader(shapeType)({ ...shapes, areas: [half, one] })).toThrow(reason)
    let deep: unknown = []
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep]
    const area = { type: 'MultiPoint', coordinates: deep }
    expect(() => objectReader(shapeType)({ id: 'x', area })).toThrow('area')
  })

  it('is refused above the limit before any value is parsed', () => {
    const reason = `the object has more than ${OBJECT_MAX_VALUES} values in arrays`
    const half = OBJECT_MAX_VALUES / 2
    const full = { id: 'x', numbers: numbers(half), points: points(half / 2) }
    expect(objectReader(type)(full).pk).toBe('x')
    for (const more of [
      { ...full, numbers: numbers(half + 1) },
      { ...full, points: points(half / 2 + 1) },
      { id: 'x', numbers: Array(OBJECT_MAX_VALUES + 1).fill('no number') },
    ]) {
      expect(() => objectReader(type)(more)).toThrow(reason)
    }
  })
})
