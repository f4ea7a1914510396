/** Column values as doubles, for metrics. */

import { type ColumnValue, decodeDecimal } from '../../ontology/values/column-value.ts'
import type { NumericType, TimeType } from './aggregation.ts'
import { ratioToDouble } from './ratio-to-double.ts'

/** Returns the nearest double. Times are in milliseconds since 1970. */
export function columnNumber(type: NumericType | TimeType, value: ColumnValue): number {
  switch (type) {
    case 'decimal': {
      const { units, scale } = decodeDecimal(String(value))
      return ratioToDouble(units, 10n ** BigInt(scale))
    }
    case 'date':
      return Date.parse(String(value))
    case 'timestamp': {
      const text = String(value)
      // Date has milliseconds, timestamps have microseconds.
      const micros =
        BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1000n + BigInt(text.slice(20, -1))
      return ratioToDouble(micros, 1000n)
    }
    default:
      return Number(value)
  }
}
