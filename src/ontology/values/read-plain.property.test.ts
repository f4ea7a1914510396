/** Objects that are read without being parsed must be those that parsing them gives. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { parseDefinition } from '../definition/parse-definition.ts'
import type { ObjectType } from '../ontology.ts'
import { objectReader, RefusedObject, type StoredObject } from './read-object.ts'
import { plainReader } from './read-plain.ts'

const TYPES = [
  'string',
  'marking',
  'boolean',
  'byte',
  'short',
  'integer',
  'long',
  'float',
  'double',
  'decimal',
  'date',
  'timestamp',
] as const
type Type = (typeof TYPES)[number]

function typeOf(keyType: Type): ObjectType {
  const properties = Object.fromEntries(TYPES.map((type) => [`of_${type}`, { type }]))
  const definition = {
    rid: 'ri.ontology.main.ontology.1',
    apiName: 'test',
    objectTypes: [
      {
        rid: 'ri.ontology.main.object-type.1',
        apiName: 'item',
        primaryKey: 'key',
        titleProperty: `of_${keyType}`,
        properties: { key: { type: keyType }, ...properties },
      },
    ],
  }
  const type = parseDefinition(definition).objectTypes.get('item')
  if (type === undefined) throw new Error('the definition has no type')
  return type
}

const KEY_TYPES = ['string', 'integer', 'long', 'double', 'date', 'timestamp', 'boolean'] as const

const text = fc.string({ unit: fc.constantFrom('a', 'Z', ' ', '"', '\\', '\n', 'é', '\u{1f600}') })
const digits = fc.string({ unit: fc.constantFrom(...'0123456789') })
const number = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    digits,
    fc.constantFrom('', '.'),
    digits,
    fc.constantFrom('', '', '', 'e5', 'E-7', 'e+400'),
  )
  .map((parts) => parts.join(''))
const day = fc
  .tuple(
    fc.integer({ min: 0, max: 9999 }),
    fc.integer({ min: 0, max: 13 }),
    fc.integer({ min: 0, max: 32 }),
  )
  .map(([year, month, date]) =>
    [String(year).padStart(4, '0'), ...[month, date].map(twoDigits)].join('-'),
  )
const time = fc
  .tuple(
    fc.integer({ min: 0, max: 25 }),
    fc.integer({ min: 0, max: 61 }),
    fc.integer({ min: 0, max: 61 }),
  )
  .map((parts) => parts.map(twoDigits).join(':'))
const moment = fc
  .tuple(
    day,
    time,
    fc.constantFrom('', '.5', '.500', '.123456', '.1234567'),
    fc.constantFrom('Z', 'z', '+02:00', ''),
  )
  .map(([date, clock, fraction, zone]) => `${date}T${clock}${fraction}${zone}`)

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

/** The JSON text of a value of any type, canonical or not. */
const json = fc.oneof(
  text.map((value) => JSON.stringify(value)),
  fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value)),
  number,
  number.map((value) => JSON.stringify(value)),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.oneof(day, moment).map((value) => JSON.stringify(value)),
  fc.constantFrom('true', 'false', 'null', '"true"', '{}', '[1]', '"NaN"', '"Infinity"', '-0', '0'),
)

function partsOf({ pk, objectId, key, title, body, searchable }: StoredObject) {
  const { columns, elements, points, texts } = searchable
  const plainTexts = texts.map(({ property, structField, values, language }) => [
    property,
    structField,
    values,
    language,
  ])
  return [pk, objectId, key, title, body, columns.values, elements, points, plainTexts]
}

/** Returns what is stored of a text; undefined if it is refused. */
function parsed(type: ObjectType, body: string): StoredObject | undefined {
  try {
    return objectReader(type)(JSON.parse(body))
  } catch (error) {
    if (error instanceof RefusedObject || error instanceof SyntaxError) return undefined
    throw error
  }
}

it('reads what parsing the text gives, or leaves it to that', () => {
  let read = 0
  const member = fc.tuple(fc.constantFrom('key', ...TYPES.map((type) => `of_${type}`)), json)
  fc.assert(
    fc.property(
      fc.constantFrom(...KEY_TYPES),
      fc.array(member, { maxLength: 4 }),
      fc.constantFrom('{', ' {', '{ '),
      fc.constantFrom('}', ' }', ',}', '}}'),
      fc.boolean(),
      (keyType, members, start, end, isSorted) => {
        const type = typeOf(keyType)
        const names = [...type.properties.keys()]
        const ordered = isSorted
          ? members.toSorted(([a], [b]) => names.indexOf(a) - names.indexOf(b))
          : members
        const body = `${start}${ordered.map(([name, value]) => `"${name}":${value}`).join()}${end}`
        const plain = body.startsWith('{') ? plainReader(type)?.(body) : undefined
        if (plain === undefined) return
        read += 1
        const expected = parsed(type, body)
        expect(plain && partsOf(plain)).toEqual(expected && partsOf(expected))
        expect(plain.body).toBe(body)
      },
    ),
    fcOptions(6000, 600),
  )
  expect(read).toBeGreaterThan(0)
})

it('reads every text that is stored, unless it has escapes or exponents', () => {
  const type = typeOf('string')
  const values = fc.record(
    {
      of_string: fc.string({ unit: fc.constantFrom('a', ' ', 'é', '\u{1f600}') }),
      of_boolean: fc.boolean(),
      of_byte: fc.integer({ min: -128, max: 127 }),
      of_integer: fc.integer(),
      of_long: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
      of_double: fc.integer({ min: -(10 ** 9), max: 10 ** 9 }).map((value) => value / 1000),
      of_decimal: fc.integer().map((value) => `${value}.50`),
      of_date: fc.constantFrom('2024-02-29', '1999-12-31'),
      of_timestamp: fc
        .date({ min: new Date(0), max: new Date(1e13), noInvalidDate: true })
        .map((date) => date.toISOString()),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(values, (some) => {
      const stored = objectReader(type)({ key: 'k', ...some })
      const plain = plainReader(type)?.(stored.body)
      expect(plain && partsOf(plain)).toEqual(partsOf(stored))
    }),
    fcOptions(1500, 150),
  )
})
