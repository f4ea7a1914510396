/** The values that conditions compare with: from JSON to the query tree, and on to a store. */

import type { ScalarType } from '../ontology/definition/property-type.ts'
import type { ColumnValue } from '../ontology/values/column-value.ts'
import { scalarCodec } from '../ontology/values/scalar-codec.ts'
import type { ComparedValue } from './query.ts'

/** Parses a value to compare with, or throws `RefusedValue`. */
export function readComparedValue(type: ScalarType, value: unknown): ComparedValue {
  const { parse, column } = scalarCodec(type)
  if (column === undefined) throw new Error(`${type} cannot be compared`)
  const encoded = column.encode(parse(value))
  if (typeof encoded === 'bigint') return { long: String(encoded) }
  if (encoded === Infinity) return { double: 'Infinity' }
  return encoded === -Infinity ? { double: '-Infinity' } : encoded
}

/** Returns the value as a store binds it. */
export function toColumnValue(value: ComparedValue): ColumnValue {
  if (typeof value !== 'object') return value
  return 'long' in value ? BigInt(value.long) : Number(value.double)
}
