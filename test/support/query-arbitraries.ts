/**
 * Arbitraries of object types and of histories of their objects. Objects and queries draw the values
 * of a field from the same small pool, so that there are ties and matches.
 */

import fc from 'fast-check'
import type {
  ObjectTypeDefinition,
  PropertyDefinition,
} from '../../src/ontology/definition/definition-schema.ts'
import {
  PRIMARY_KEY_TYPES,
  SCALAR_TYPES,
  type ScalarType,
} from '../../src/ontology/definition/property-type.ts'
import type { ModelType, Properties } from './query-model.ts'
import { poolsOf, SAMPLES, spell } from './query-samples.ts'

/** A field that queries can name: a property, or a field of a struct. */
export interface QueryField {
  readonly property: string
  readonly structField: string | undefined
  readonly type: ScalarType
  /** True if an object can hold several values. */
  readonly isMultiValued: boolean
  readonly pool: readonly unknown[]
}

export interface GeneratedType {
  readonly definition: Omit<ObjectTypeDefinition, 'apiName'>
  readonly model: ModelType
  readonly keyType: ScalarType
  readonly keys: readonly unknown[]
  readonly fields: readonly QueryField[]
}

/** A change as it is sent, and as the model stores it. */
export type GeneratedChange =
  | { readonly put: Properties; readonly key: unknown; readonly kept: Properties }
  | { readonly delete: unknown; readonly key: unknown }

export interface History {
  readonly type: GeneratedType
  readonly commits: readonly (readonly GeneratedChange[])[]
}

/** Names that provoke bugs: periods, case, names of methods, names of operators. */
export const PROPERTY_NAMES = [
  ...['a', 'A', 'b', 'a.b', 'a.b.c', 'name', 'Name.eq', 'x-1', '1', '_', 'properties', 'p.x', 'eq'],
  ...['constructor', 'toString', 'hasOwnProperty', 'id', 'pk', 'value', 'o.pk', 'rowid'],
]

const STRUCT_FIELDS = ['b', 'c', 'b.c', 'FIRST', 'first', 'constructor', '0']

interface Pool {
  readonly type: ScalarType
  readonly pool: readonly unknown[]
}

interface Shape {
  readonly definition: PropertyDefinition
  /** Canonical values of the property. */
  readonly values: fc.Arbitrary<unknown>
  readonly fields: readonly Omit<QueryField, 'property'>[]
}

const scalarTypes = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...SCALAR_TYPES) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'string',
      'string',
      'geopoint',
      'geoshape',
      'decimal',
      'long' as const,
    ),
  },
)

const pools: fc.Arbitrary<Pool> = scalarTypes.chain((type) =>
  poolsOf(type).map((pool) => ({ type, pool })),
)

const structs = fc
  .uniqueArray(fc.constantFrom(...STRUCT_FIELDS), { minLength: 1, maxLength: 3 })
  .chain((names) => fc.tuple(...names.map((name) => pools.map((pool) => [name, pool] as const))))

const shapes: fc.Arbitrary<Shape> = fc.oneof(
  { weight: 5, arbitrary: pools.map(scalarShape) },
  { weight: 2, arbitrary: pools.map((pool) => arrayShape(scalarShape(pool))) },
  { weight: 1, arbitrary: structs.map(structShape) },
  { weight: 1, arbitrary: structs.map((fields) => arrayShape(structShape(fields))) },
)

function scalarShape({ type, pool }: Pool): Shape {
  return {
    definition: { type },
    values: fc.constantFrom(...pool),
    fields: [{ structField: undefined, type, isMultiValued: false, pool }],
  }
}

function structShape(fields: readonly (readonly [string, Pool])[]): Shape {
  const members = fields.map(([name, { pool }]) =>
    fc.option(fc.constantFrom(...pool), { nil: undefined }).map((value) => [name, value] as const),
  )
  return {
    definition: {
      type: 'struct',
      fields: Object.fromEntries(fields.map(([name, { type }]) => [name, { type }])),
    },
    values: fc
      .tuple(...members)
      .map((entries) => Object.fromEntries(entries.filter(([, value]) => value !== undefined))),
    fields: fields.map(([structField, { type, pool }]) => ({
      structField,
      type,
      isMultiValued: false,
      pool,
    })),
  }
}

function arrayShape({ definition, values, fields }: Shape): Shape {
  return {
    definition: { type: 'array', items: definition as NonNullable<PropertyDefinition['items']> },
    values: fc.array(values, { maxLength: 3 }),
    fields: fields.map((field) => ({ ...field, isMultiValued: true })),
  }
}

/** An object type with its keys, and the values of its other properties. */
interface TypeWithValues {
  readonly type: GeneratedType
  readonly valuesOf: ReadonlyMap<string, fc.Arbitrary<unknown>>
}

const keyPools = fc.constantFrom(...PRIMARY_KEY_TYPES).chain((type) => {
  const most = type === 'boolean' ? 2 : 50
  const values = SAMPLES[type].filter(
    (key) => key !== 'NaN' && key !== '' && Buffer.byteLength(String(key)) <= 500,
  )
  return fc
    .uniqueArray(values, {
      minLength: Math.min(most, 12),
      maxLength: most,
      selector: (key) => String(key),
    })
    .map((pool): Pool => ({ type, pool }))
})

function typesWithValues(names: readonly string[]): fc.Arbitrary<TypeWithValues> {
  return fc
    .tuple(fc.shuffledSubarray([...names], { minLength: 2, maxLength: 7 }), keyPools)
    .chain(([[keyName = '', ...others], key]) =>
      fc
        .tuple(
          fc.tuple(...others.map((name) => shapes.map((shape) => [name, shape] as const))),
          fc.nat(others.length),
        )
        .map(([entries, keyPosition]) => {
          const all = entries.toSpliced(keyPosition, 0, [keyName, scalarShape(key)])
          return assemble(keyName, key, all)
        }),
    )
}

function assemble(
  keyName: string,
  key: Pool,
  entries: readonly (readonly [string, Shape])[],
): TypeWithValues {
  const properties = new Map(entries.map(([name, { definition }]) => [name, definition]))
  const others = entries.filter(([name]) => name !== keyName)
  const titles = entries.filter(([, { definition }]) => definition.type === 'string')
  const [title] = titles.at(-1) ?? []
  return {
    type: {
      definition: {
        primaryKey: keyName,
        properties: Object.fromEntries(properties),
        ...(title === undefined ? {} : { titleProperty: title }),
      },
      model: { primaryKey: keyName, properties },
      keyType: key.type,
      keys: key.pool,
      fields: entries.flatMap(([property, { fields }]) =>
        fields.map((field) => ({ property, ...field })),
      ),
    },
    valuesOf: new Map(others.map(([name, { values }]) => [name, values])),
  }
}

/** Types with two to seven properties, and one to four commits that put, change and delete. */
export function histories(names: readonly string[] = PROPERTY_NAMES): fc.Arbitrary<History> {
  return typesWithValues(names).chain((generated) => {
    const { type } = generated
    const change = changes(generated)
    const first = fc.tuple(...type.keys.map((key) => puts(generated, fc.constant(key))))
    return fc
      .record({
        first,
        later: fc.array(fc.array(change, { minLength: 1, maxLength: 15 }), { maxLength: 3 }),
      })
      .map(({ first, later }) => ({ type, commits: [first, ...later] }))
  })
}

/** A history, and commits for later. */
export function historiesWithMore(
  names: readonly string[],
  mostCommits: number,
): fc.Arbitrary<History & { readonly more: readonly (readonly GeneratedChange[])[] }> {
  return typesWithValues(names).chain((generated) => {
    const { type } = generated
    const some = fc.array(changes(generated), { maxLength: 6 })
    return fc
      .record({
        first: fc.tuple(...type.keys.map((key) => puts(generated, fc.constant(key)))),
        // Some keys stay unused, so that later commits can insert.
        held: fc.nat(5),
        more: fc.array(some, { maxLength: mostCommits }),
      })
      .map(({ first, held, more }) => ({
        type,
        commits: [first.slice(Math.min(held, first.length - 1))],
        more,
      }))
  })
}

function changes(generated: TypeWithValues): fc.Arbitrary<GeneratedChange> {
  const { keyType, keys } = generated.type
  const someKey = fc.constantFrom(...keys)
  const remove = fc
    .tuple(someKey, fc.nat(60))
    .map(([key, variant]) => ({ delete: spell(keyType, key, variant), key }))
  return fc.oneof(
    { weight: 3, arbitrary: puts(generated, someKey) },
    { weight: 1, arbitrary: remove },
  )
}

function puts(
  { type, valuesOf }: TypeWithValues,
  key: fc.Arbitrary<unknown>,
): fc.Arbitrary<GeneratedChange> {
  const names = [...type.model.properties.keys()]
  const values = names.map((name) =>
    name === type.model.primaryKey
      ? key
      : fc.option(valuesOf.get(name) ?? fc.constant(undefined), { nil: undefined, freq: 3 }),
  )
  return fc.tuple(fc.tuple(...values), fc.nat(60)).map(([row, variant]) => {
    const entries = names.map((name, index) => [name, row[index]] as const)
    const sent = entries.flatMap(([name, value]) => {
      const definition = type.model.properties.get(name)
      // A null and an absent property are the same.
      if (value === undefined) return variant % 2 === 0 ? [] : [[name, null] as const]
      return definition === undefined ? [] : [[name, spellAll(definition, value, variant)] as const]
    })
    return {
      put: Object.fromEntries(sent),
      key: row[names.indexOf(type.model.primaryKey)],
      kept: Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
    }
  })
}

/** Varies the spelling of every scalar in a property. */
function spellAll(definition: PropertyDefinition, value: unknown, variant: number): unknown {
  const { type, items, fields } = definition
  if (type === 'array') {
    return (value as unknown[]).map((item, index) =>
      items === undefined ? item : spellAll(items, item, variant + index),
    )
  }
  if (type !== 'struct') return spell(type, value, variant)
  return Object.fromEntries(
    Object.entries(value as object).map(([name, part]) => {
      const field = fields?.[name]
      return [name, field === undefined ? part : spellAll(field, part, variant)]
    }),
  )
}
