import { describe, expect, it } from 'vitest'
import type { Row } from '../../formats/row.ts'
import type {
  ObjectTypeDefinition,
  PropertyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import type { ColumnOptions } from '../columns/column-plan.ts'
import { ROW_NUMBER } from '../infer/infer-type.ts'
import { inferrer } from '../infer/inferrer.ts'
import { existingTypeOptions } from './existing-type.ts'
import { widenType } from './widen-type.ts'

function infer(...rows: Row['cells'][]) {
  const inference = inferrer()
  inference.add(
    rows.map((cells, index) => ({ line: index + 2, cells })),
    'text',
  )
  return inference.finish('thing')
}

const typeWith = (
  properties: Record<string, PropertyDefinition>,
  primaryKey = 'id',
): ObjectTypeDefinition => ({ apiName: 'thing', primaryKey, properties })

const FREE = { areNumbersFree: true }

describe('the key of rows for an existing type', () => {
  const inferred = infer({ customer_id: '7', name: 'a' })
  const customer = typeWith({ id: { type: 'integer' }, name: { type: 'string' } })

  it.each<[string, ColumnOptions]>([
    ['no option', {}],
    ['the row number of another property', { rowNumber: 'name' }],
  ])('is not made up with %s', (_what, options) => {
    expect(() => existingTypeOptions(customer, inferred, options, FREE)).toThrow(
      'no column provides id, the primary key of thing',
    )
  })

  it.each<[string, ColumnOptions]>([
    ['a mapping', { map: new Map([['customer_id', 'id']]) }],
    ['a key', { key: 'customer_id' }],
    ['a row number', { rowNumber: 'id' }],
  ])('can be given with %s', (_option, options) => {
    const { columns } = existingTypeOptions(customer, inferred, options, FREE)
    expect(columns).toMatchObject({ ...options, numberRows: false })
  })

  it('is the row number if the type was created for numbered rows and has none', () => {
    const numbered = typeWith({ row: ROW_NUMBER, name: { type: 'string' } }, 'row')
    expect(existingTypeOptions(numbered, inferred, {}, FREE).columns.numberRows).toBe(true)
    expect(() => existingTypeOptions(numbered, inferred, {}, { areNumbersFree: false })).toThrow(
      expect.objectContaining({
        message: 'no column provides row, the primary key of thing',
        remedy: { do: 'provideKey', property: 'row', areNumbersTaken: true },
      }),
    )
  })
})

describe('texts for an existing type', () => {
  const inferred = infer(
    { id: 'a', code: '1', size: 'NA', price: '12,5', total: '1.234' },
    { id: 'b', code: 'NA', size: '2', price: '1,25', total: '2.345' },
  )
  const stored = typeWith({
    id: { type: 'string' },
    code: { type: 'string' },
    size: { type: 'long' },
    price: { type: 'double' },
    total: { type: 'double' },
  })

  it('are all kept by a string, and their other readings are reported', () => {
    const { columns, notes } = existingTypeOptions(stored, inferred, {}, FREE)
    expect([...(columns.columnTexts?.keys() ?? [])]).toEqual(['size', 'price', 'total'])
    expect(notes.map(({ text }) => text)).toEqual([
      'size: "NA" read as missing',
      'price: numbers with a decimal comma',
      'total: numbers with a decimal comma',
    ])
  })
})

it('texts that stand for a missing value are missing in a string as well', () => {
  const { columns, notes } = existingTypeOptions(
    typeWith({ id: { type: 'string' }, city: { type: 'string' } }),
    infer({ id: 'a', city: 'Bern' }, { id: 'b', city: 'NA' }),
    {},
    FREE,
  )
  expect(columns.columnTexts?.get('city')).toEqual({ nulls: ['NA'] })
  expect(notes).toEqual([
    { text: 'city: "NA" read as missing', remedies: [{ do: 'keepTexts', column: 'city' }] },
  ])
})

describe('a property', () => {
  it.each<[PropertyDefinition['type'], string, string | undefined]>([
    ['byte', '5', undefined],
    ['byte', '3000000000', 'long'],
    ['integer', '3000000000', 'long'],
    ['integer', '2000000000', undefined],
    ['double', '3000000000', undefined],
    ['double', '9007199254740993', 'decimal'],
    ['double', '1234567890123456800', undefined],
    ['float', '9007199254740993', 'decimal'],
    ['decimal', '9007199254740993', undefined],
    ['long', '9007199254740993', undefined],
  ])('of the type %s that gets %s is widened to %s', (type, n, wider) => {
    const stored = typeWith({ id: { type: 'string' }, n: { type } })
    const { changes } = widenType(stored, infer({ id: 'a', n }))
    expect(changes).toEqual(wider === undefined ? [] : [`widened n from ${type} to ${wider}`])
  })
})

describe('structs of an existing type', () => {
  const id: PropertyDefinition = { type: 'string' }
  const struct = (fields: PropertyDefinition['fields']): PropertyDefinition =>
    ({ type: 'struct', fields }) as PropertyDefinition
  const geo = struct({ lat: { type: 'integer' } })
  const stored = typeWith({ id, address: struct({ city: { type: 'string' }, geo }) })

  it('gain and widen fields at any depth', () => {
    const address = '{"zip":"1","geo":{"lat":1.5,"tags":["a"]}}'
    const { definition, changes } = widenType(stored, infer({ id: 'a', address }))
    expect(changes).toEqual([
      'added address.zip: string',
      'widened address.geo.lat from integer to double',
      'added address.geo.tags: array',
    ])
    expect(definition.properties['address']).toEqual(
      struct({
        city: { type: 'string' },
        geo: struct({
          lat: { type: 'double' },
          tags: { type: 'array', items: { type: 'string' } },
        }),
        zip: { type: 'string' },
      }),
    )
  })

  it('widen whole numbers that have little room left', () => {
    const address = '{"geo":{"lat":3000000000}}'
    const { changes } = widenType(stored, infer({ id: 'a', address }))
    expect(changes).toEqual(['widened address.geo.lat from integer to long'])
  })

  it('stay as they are if they hold the values, also those in columns of their own', () => {
    expect(widenType(stored, infer({ id: 'a', address: '{"geo":{"lat":7}}' })).changes).toEqual([])
    expect(widenType(stored, infer({ id: 'a', 'address.geo.lat': '7' })).changes).toEqual([])
  })
})
