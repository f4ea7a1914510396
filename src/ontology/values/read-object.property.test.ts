import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import type { PropertyDefinition } from '../definition/definition-schema.ts'
import { parseDefinition } from '../definition/parse-definition.ts'
import type { ScalarType } from '../definition/property-type.ts'
import type { ObjectType } from '../ontology.ts'
import { objectReader } from './read-object.ts'

/** A value as a client can send it, and as the service must return it. */
interface Sample {
  readonly sent: unknown
  readonly expected: unknown
}

const same = (value: unknown): Sample => ({ sent: value, expected: value })

/** A number, sent as itself or as text. */
const lenient = (number: number): fc.Arbitrary<Sample> =>
  fc.constantFrom(number, String(number)).map((sent) => ({ sent, expected: number }))

const whole = (bits: number) =>
  fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 }).chain(lenient)

const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'))

const position = fc.tuple(
  fc.double({ min: -180, max: 180, noNaN: true }).map((number) => number + 0),
  fc.double({ min: -90, max: 90, noNaN: true }).map((number) => number + 0),
)
const point = position.map((coordinates) => ({ type: 'Point', coordinates }))
const ring = fc
  .array(position, { minLength: 3, maxLength: 5 })
  .map((positions) => [...positions, positions[0]])
const shape = fc.oneof(
  point,
  fc.array(position).map((coordinates) => ({ type: 'MultiPoint', coordinates })),
  fc.array(ring, { minLength: 1 }).map((coordinates) => ({ type: 'Polygon', coordinates })),
  fc.array(point).map((geometries) => ({ type: 'GeometryCollection', geometries })),
)

const instant = fc.date({
  noInvalidDate: true,
  min: new Date('0000-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
})

const SCALARS: Readonly<Record<ScalarType, fc.Arbitrary<Sample>>> = {
  string: text.map(same),
  boolean: fc
    .boolean()
    .chain((value) =>
      fc.constantFrom(value, String(value)).map((sent) => ({ sent, expected: value })),
    ),
  byte: whole(8),
  short: whole(16),
  integer: whole(32),
  long: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => same(String(value))),
  float: fc.float({ noNaN: true, noDefaultInfinity: true }).chain((number) => lenient(number + 0)),
  double: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).chain((number) => lenient(number + 0)),
    fc.constantFrom('NaN', 'Infinity', '-Infinity').map(same),
  ),
  decimal: fc
    .tuple(fc.bigInt(), fc.nat())
    .map(([units, fraction]) => same(`${units === 0n ? 1n : units}.${fraction}`)),
  date: instant.map((date) => same(date.toISOString().slice(0, 10))),
  timestamp: instant.map((date) => {
    const sent = date.toISOString()
    return { sent, expected: sent.replace('.000Z', 'Z') }
  }),
  geopoint: point.map(same),
  geoshape: shape.map(same),
  attachment: text.map((rid) => same({ rid })),
  marking: text.map(same),
}

const FIELDS = Object.fromEntries(
  Object.keys(SCALARS).map((type) => [`${type}Field`, { type: type as ScalarType }]),
)

/** Drops nulls, as the service does; the order is preserved. */
function present(samples: Readonly<Record<string, Sample | null>>): Sample {
  const entries = Object.entries(samples)
  return {
    sent: Object.fromEntries(entries.map(([name, sample]) => [name, sample?.sent ?? null])),
    expected: Object.fromEntries(
      entries.flatMap(([name, sample]) => (sample === null ? [] : [[name, sample.expected]])),
    ),
  }
}

const struct = fc
  .record(
    Object.fromEntries(
      Object.entries(FIELDS).map(([name, { type }]) => [name, fc.option(SCALARS[type])]),
    ),
  )
  .map(present)

const list = (item: fc.Arbitrary<Sample>) =>
  fc.array(item, { maxLength: 4 }).map(
    (samples): Sample => ({
      sent: samples.map(({ sent }) => sent),
      expected: samples.map(({ expected }) => expected),
    }),
  )

/** A property of every type, an array of every type, a struct and an array of structs. */
const PROPERTIES: Readonly<Record<string, PropertyDefinition>> = {
  id: { type: 'string' },
  ...FIELDS,
  ...Object.fromEntries(
    Object.entries(FIELDS).map(([name, items]) => [`${name}s`, { type: 'array' as const, items }]),
  ),
  struct: { type: 'struct', fields: FIELDS },
  structs: { type: 'array', items: { type: 'struct', fields: FIELDS } },
}

const key = text.filter((value) => value !== '' && Buffer.byteLength(value) <= 512)

const object = fc
  .record({
    id: key.map(same),
    ...Object.fromEntries(
      Object.entries(FIELDS).flatMap(([name, { type }]) => [
        [name, fc.option(SCALARS[type])],
        [`${name}s`, fc.option(list(SCALARS[type]))],
      ]),
    ),
    struct: fc.option(struct),
    structs: fc.option(list(struct)),
  })
  .map(present)

const type = parseDefinition({
  apiName: 'everything',
  objectTypes: [
    {
      apiName: 'thing',
      rid: 'ri.ontology.main.object-type.1',
      primaryKey: 'id',
      titleProperty: 'stringField',
      properties: PROPERTIES,
    },
  ],
}).objectTypes.get('thing') as ObjectType

const readThing = objectReader(type)

describe('an object with properties of every type', () => {
  it('is stored as it was sent, without nulls', () => {
    fc.assert(
      fc.property(object, ({ sent, expected }) => {
        const { body, key: storedKey, title } = readThing(sent)
        const back = JSON.parse(body)
        expect(back).toStrictEqual(expected)
        expect(JSON.parse(storedKey)).toBe(back.id)
        expect(JSON.parse(title ?? 'null')).toBe(back.stringField ?? null)
      }),
      fcOptions(300),
    )
  })

  it('is stored in the order of its type, in whatever order it is sent', () => {
    const shuffled = object.chain(({ sent }) => {
      const entries = Object.entries(sent as Readonly<Record<string, unknown>>)
      return fc.tuple(
        fc.constant(sent),
        fc.shuffledSubarray(entries, { minLength: entries.length }).map(Object.fromEntries),
      )
    })
    const order = [...type.properties.keys()]
    fc.assert(
      fc.property(shuffled, ([inOrder, inDisorder]) => {
        const stored = readThing(inDisorder)
        expect(stored).toEqual(readThing(inOrder))
        const names = Object.keys(JSON.parse(stored.body))
        expect(names).toEqual(order.filter((name) => names.includes(name)))
      }),
      fcOptions(200),
    )
  })

  it('is stored unchanged if its stored form is sent again', () => {
    fc.assert(
      fc.property(object, ({ sent }) => {
        const stored = readThing(sent)
        expect(readThing(JSON.parse(stored.body))).toEqual(stored)
      }),
      fcOptions(200),
    )
  })
})

describe('any JSON', () => {
  const anyJson = fc.anything({
    key: fc.constantFrom(
      'type',
      'coordinates',
      'rid',
      'id',
      'stringField',
      '__proto__',
      'length',
      'toString',
      'valueOf',
    ),
    values: [
      fc.constantFrom(null, '', 'Point', '0', '-1', '1e5', 'NaN', 'true', '2026-01-31', '\0'),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.string({ unit: 'binary' }),
    ],
    maxDepth: 4,
  })
  const storedOrRefused = (sent: unknown) => {
    try {
      expect(JSON.parse(readThing(sent).body)).toHaveProperty('id')
    } catch (error) {
      expect(error).toMatchObject({ name: 'RefusedObject', reason: expect.any(String) })
    }
  }

  it('is stored or refused with a reason, as the properties of an object', () => {
    fc.assert(fc.property(anyJson, storedOrRefused), fcOptions(1000))
  })

  it('is stored or refused with a reason, as any one property', () => {
    const name = fc.constantFrom(...Object.keys(PROPERTIES))
    fc.assert(
      fc.property(name, anyJson, (property, json) => {
        storedOrRefused({ id: 'a', [property]: json })
        storedOrRefused({ id: 'a', [property]: [json] })
        storedOrRefused({ id: 'a', [property]: { stringField: json } })
      }),
      fcOptions(2000),
    )
  })
})
