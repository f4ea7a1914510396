/**
 * How values are stored in PostgreSQL columns: encoding for parameters, decoding of query
 * results. A column value is the form that both stores compare and sort by.
 */
import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import {
  type ColumnValue,
  type Decimal,
  decodeDecimal,
} from '../../../ontology/values/column-value.ts'
import { columnJson } from '../../../ontology/values/scalar-codec.ts'
import type { NumericType, TimeType } from '../../../query/aggregation/aggregation.ts'
import { columnNumber } from '../../../query/aggregation/column-number.ts'

export type ColumnType = 'text' | 'integer' | 'smallint' | 'bigint' | 'double precision' | 'numeric'

export function columnType(type: ScalarType): ColumnType {
  switch (type) {
    case 'string':
    case 'marking':
    case 'date':
    case 'timestamp':
      return 'text'
    case 'boolean':
    case 'byte':
    case 'short':
    case 'integer':
      return 'integer'
    case 'long':
      return 'bigint'
    case 'float':
    case 'double':
      return 'double precision'
    case 'decimal':
      return 'numeric'
    default:
      // Values of other types cannot be compared: the column only says that there is one.
      return 'smallint'
  }
}

/** Encodes a column value in the text format of PostgreSQL. */
export function columnText(type: ColumnType, value: ColumnValue): string {
  if (type !== 'numeric') return String(value)
  const { units, scale } = decodeDecimal(String(value))
  return `${units}e${-scale}`
}

/** Encodes column values as an array literal. */
export function arrayText(elementType: ColumnType, values: readonly ColumnValue[]): string {
  const texts = values.map((value) => columnText(elementType, value))
  if (elementType !== 'text') return `{${texts.join(',')}}`
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`
}

/** Decodes a value that a query returned to the JSON encoding of its type. */
export function decodeJson(type: ScalarType, value: ColumnValue): string {
  // A decimal was stored without trailing zeros, and PostgreSQL never writes an exponent.
  return type === 'decimal' ? `"${value}"` : columnJson(type, value)
}

/** Decodes a value that a query returned to a double. */
export function decodeNumber(type: NumericType | TimeType, value: ColumnValue): number {
  return type === 'decimal' ? Number(value) : columnNumber(type, value)
}

/** Decodes the text of a `numeric` to an exact decimal. */
export function decodeNumeric(text: string): Decimal {
  const [whole = '', fraction = ''] = text.split('.')
  return { units: BigInt(whole + fraction), scale: fraction.length }
}
