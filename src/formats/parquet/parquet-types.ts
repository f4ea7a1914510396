/** The property type that matches the declared type of a Parquet column. */

import type { KeyValue, SchemaElement, SchemaTree } from 'hyparquet'
import type { DeclaredScalar, DeclaredType } from '../row.ts'
import { TYPES_KEY } from '../table-metadata.ts'

/** Returns the logical type of an element by its newer or its older name. */
export function logicalType({ logical_type, converted_type }: SchemaElement): string | undefined {
  return logical_type?.type ?? converted_type
}

/** Returns the columns of one of our exports that are decimals, which it writes as text. */
export function decimalColumns(metadata: readonly KeyValue[] = []): ReadonlySet<string> {
  const text = metadata.find(({ key }) => key === TYPES_KEY)?.value
  try {
    const types = Object.entries(JSON.parse(text ?? '{}') as object)
    return new Set(types.filter(([, type]) => type === 'decimal').map(([name]) => name))
  } catch {
    return new Set()
  }
}

/** Returns the declared type; undefined for maps, JSON and others whose values decide. */
export function declaredType(node: SchemaTree): DeclaredType | undefined {
  const single = singleType(node)
  const isRepeated = node.element.repetition_type === 'REPEATED'
  return single !== undefined && isRepeated ? { type: 'array', items: single } : single
}

function singleType({ element, children }: SchemaTree): DeclaredType | undefined {
  if (children.length === 0) {
    const scalar = scalarType(element)
    return scalar === undefined ? undefined : { type: scalar }
  }
  const type = logicalType(element)
  if (type === 'MAP' || type === 'MAP_KEY_VALUE') return undefined
  if (type === 'LIST') return listType(children)
  const fields = new Map(children.map((child) => [child.element.name, declaredType(child)]))
  return { type: 'struct', fields }
}

function listType([only, ...others]: readonly SchemaTree[]): DeclaredType | undefined {
  if (only === undefined || others.length > 0) return undefined
  // The legacy form of a list has no group around its elements.
  const [element] = only.children.length === 1 ? only.children : [only]
  const items = element === only ? singleType(only) : declaredType(element as SchemaTree)
  return items === undefined ? undefined : { type: 'array', items }
}

/** The types of integers by width, signed and unsigned. */
const INTEGERS: Readonly<Record<string, DeclaredScalar>> = {
  INT_8: 'byte',
  INT_16: 'short',
  INT_32: 'integer',
  INT_64: 'long',
  UINT_8: 'short',
  UINT_16: 'integer',
  UINT_32: 'long',
  UINT_64: 'decimal',
}

const LOGICAL: Readonly<Record<string, DeclaredScalar>> = {
  ...INTEGERS,
  STRING: 'string',
  UTF8: 'string',
  ENUM: 'string',
  UUID: 'string',
  TIME: 'string',
  TIME_MILLIS: 'string',
  TIME_MICROS: 'string',
  DECIMAL: 'decimal',
  DATE: 'date',
  TIMESTAMP: 'timestamp',
  TIMESTAMP_MILLIS: 'timestamp',
  TIMESTAMP_MICROS: 'timestamp',
  FLOAT16: 'float',
}

const PHYSICAL: Readonly<Record<string, DeclaredScalar>> = {
  BOOLEAN: 'boolean',
  INT32: 'integer',
  INT64: 'long',
  INT96: 'timestamp',
  FLOAT: 'float',
  DOUBLE: 'double',
}

function scalarType(element: SchemaElement): DeclaredScalar | undefined {
  const logical = element.logical_type
  if (logical?.type === 'INTEGER') {
    return INTEGERS[`${logical.isSigned ? '' : 'U'}INT_${logical.bitWidth}`]
  }
  const type = logicalType(element)
  return type === undefined ? PHYSICAL[element.type ?? ''] : LOGICAL[type]
}
