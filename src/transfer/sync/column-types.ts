/** Which property type holds the values of a column, and how their texts are read. */
import pg from 'pg'
import type { PropertyDefinition } from '../../ontology/definition/definition-schema.ts'
import type { SourceColumn } from './source-tables.ts'

/** The type of a property without its texts. */
export type ValueType = Pick<PropertyDefinition, 'type'> & {
  readonly items?: Pick<NonNullable<PropertyDefinition['items']>, 'type'>
}

const SCALARS: Readonly<Record<string, PropertyDefinition['type']>> = {
  bool: 'boolean',
  int2: 'short',
  int4: 'integer',
  int8: 'long',
  oid: 'long',
  float4: 'float',
  float8: 'double',
  numeric: 'decimal',
  date: 'date',
  timestamp: 'timestamp',
  timestamptz: 'timestamp',
}

/** Bytes, search vectors and shapes: their texts would be of no use as strings. */
const UNMAPPED = ['bytea', 'tsvector', 'geometry', 'geography', 'raster']

/** The property types that a primary key can have. */
const KEY_TYPES: readonly string[] = [
  'string',
  'boolean',
  'short',
  'integer',
  'long',
  'double',
  'date',
  'timestamp',
]

/** Returns the type for a column; undefined if no type holds its values. All others are texts. */
export function columnType({ typeName, isArray }: SourceColumn): ValueType | undefined {
  if (UNMAPPED.includes(typeName)) return undefined
  const type = SCALARS[typeName] ?? 'string'
  return isArray ? ({ type: 'array', items: { type } } as ValueType) : { type }
}

/** Returns the type for a column that is a primary key: a string unless its type can be one. */
export function keyType(column: SourceColumn): ValueType | undefined {
  const found = columnType(column)
  return found === undefined || KEY_TYPES.includes(found.type) ? found : { type: 'string' }
}

/** Types that hold every value of another one, besides strings. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  short: ['integer', 'long', 'double', 'decimal'],
  integer: ['long', 'double', 'decimal'],
  long: ['decimal'],
  float: ['double'],
}

/** Returns whether a property can hold the values of a column with this type. */
export function canHold(property: ValueType, column: ValueType): boolean {
  if (property.type === 'array' || column.type === 'array') {
    return (
      property.type === column.type &&
      canHold(property.items as ValueType, column.items as ValueType)
    )
  }
  return (
    property.type === column.type ||
    property.type === 'string' ||
    (WIDER[column.type]?.includes(property.type) ?? false)
  )
}

/** Reads the text of a value for a property; undefined if the property cannot hold the value. */
export type ReadValue = (text: string) => unknown

/** The parser for arrays of texts, OID 1009, splits every array. */
const TEXT_ARRAY_OID: number = 1009
const parseArray = pg.types.getTypeParser(TEXT_ARRAY_OID, 'text') as (
  text: string,
) => readonly unknown[]

const asNumber: ReadValue = (text) => {
  // NaN and the infinities are strings in JSON.
  return /^-?\d/.test(text) ? Number(text) : text
}

/** Digits of a decimal on each side of the point. */
const DECIMAL = /^-?\d{1,100}(?:\.\d{1,100})?$/
/** Without years beyond 9999 or before Christ, and without infinity. */
const DATE = /^\d{4}-\d\d-\d\d$/
const TIMESTAMP = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:\+00)?$/

const READERS: Readonly<Record<string, ReadValue>> = {
  boolean: (text) => text === 't',
  short: asNumber,
  integer: asNumber,
  float: asNumber,
  double: asNumber,
  decimal: (text) => (DECIMAL.test(text) ? text : undefined),
  date: (text) => (DATE.test(text) ? text : undefined),
  // A timestamp without time zone is taken for UTC, as in imports.
  timestamp: (text) => {
    const [, date, time] = TIMESTAMP.exec(text) ?? []
    return date === undefined ? undefined : `${date}T${time}Z`
  },
}

export function valueReader({ type, items }: ValueType): ReadValue {
  if (type !== 'array') return READERS[type] ?? ((text) => text)
  const readItem = valueReader(items as ValueType)
  return (text) => {
    const values = parseArray(text).map((item) =>
      // Arrays of arrays and null elements have no counterpart.
      typeof item === 'string' ? readItem(item) : undefined,
    )
    return values.includes(undefined) ? undefined : values
  }
}
