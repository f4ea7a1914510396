/** How the properties of an object type are written as Parquet columns. */
import type { SchemaElement } from 'hyparquet'
import type {
  ObjectTypeDefinition,
  PropertyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import type { ScalarType } from '../../ontology/definition/property-type.ts'

/** A column, its part of the schema, and how its JSON values are converted. */
export interface WrittenColumn {
  readonly name: string
  readonly elements: readonly SchemaElement[]
  readonly convert: (value: unknown) => unknown
}

/** Returns the columns of a type; the primary key has a value in every object. */
export function parquetColumnsOf(
  { properties, primaryKey }: ObjectTypeDefinition,
  select: readonly string[] | undefined,
): WrittenColumn[] {
  return Object.entries(properties)
    .filter(([name]) => select === undefined || name === primaryKey || select.includes(name))
    .map(([name, property]) => ({
      name,
      elements: elementsOf(name, property, name === primaryKey ? 'REQUIRED' : 'OPTIONAL'),
      convert: converterOf(property),
    }))
}

/** Returns the schema of a file with these columns. */
export function schemaOf(columns: readonly WrittenColumn[]): SchemaElement[] {
  const root: SchemaElement = { name: 'schema', num_children: columns.length }
  return [root, ...columns.flatMap(({ elements }) => elements)]
}

type Repetition = 'REQUIRED' | 'OPTIONAL' | 'REPEATED'

function elementsOf(
  name: string,
  { type, items, fields = {} }: PropertyDefinition,
  repetition: Repetition,
): SchemaElement[] {
  if (type === 'array' && items !== undefined) {
    return [
      { name, repetition_type: repetition, num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...elementsOf('element', items, 'REQUIRED'),
    ]
  }
  if (type === 'struct') {
    const members = Object.entries(fields)
    return [
      { name, repetition_type: repetition, num_children: members.length },
      ...members.flatMap(([member, field]) => elementsOf(member, field, 'OPTIONAL')),
    ]
  }
  return [{ name, repetition_type: repetition, ...SCALARS[type as ScalarType].element }]
}

interface ScalarColumn {
  readonly element: Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>
  readonly convert?: (value: unknown) => unknown
}

const TEXT: ScalarColumn = { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' } }
const JSON_TEXT: ScalarColumn = { element: { type: 'BYTE_ARRAY', converted_type: 'JSON' } }
const DAY_MS = 86_400_000

const SCALARS: Readonly<Record<ScalarType, ScalarColumn>> = {
  string: TEXT,
  marking: TEXT,
  boolean: { element: { type: 'BOOLEAN' } },
  byte: { element: { type: 'INT32', converted_type: 'INT_8' } },
  short: { element: { type: 'INT32', converted_type: 'INT_16' } },
  integer: { element: { type: 'INT32' } },
  long: { element: { type: 'INT64' }, convert: (value) => BigInt(value as string) },
  // The special numbers are texts in JSON.
  float: { element: { type: 'FLOAT' }, convert: Number },
  double: { element: { type: 'DOUBLE' }, convert: Number },
  // Parquet decimals of one column have one scale; these have any.
  decimal: TEXT,
  date: {
    element: { type: 'INT32', converted_type: 'DATE' },
    convert: (value) => Date.parse(`${value}T00:00:00Z`) / DAY_MS,
  },
  timestamp: {
    element: {
      type: 'INT64',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    },
    convert: (value) => microsecondsOf(String(value)),
  },
  geopoint: JSON_TEXT,
  geoshape: JSON_TEXT,
  attachment: JSON_TEXT,
}

/** Canonical timestamps have up to six digits of a second. */
const TIMESTAMP = /^(.{19})(?:\.(\d{1,6}))?Z$/

function microsecondsOf(text: string): bigint {
  const [, seconds, fraction = ''] = TIMESTAMP.exec(text) ?? []
  if (seconds === undefined) throw new Error(`${text} is not a timestamp`)
  return BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'))
}

function converterOf({
  type,
  items,
  fields = {},
}: PropertyDefinition): (value: unknown) => unknown {
  if (type === 'array' && items !== undefined) {
    const convert = converterOf(items)
    return (value) => (value as readonly unknown[]).map(convert)
  }
  if (type === 'struct') {
    const members = Object.entries(fields).map(
      ([name, field]) => [name, converterOf(field)] as const,
    )
    return (value) => {
      const struct = value as Readonly<Record<string, unknown>>
      return Object.fromEntries(
        members
          .filter(([name]) => (struct[name] ?? null) !== null)
          .map(([name, convert]) => [name, convert(struct[name])]),
      )
    }
  }
  return SCALARS[type as ScalarType].convert ?? ((value) => value)
}
