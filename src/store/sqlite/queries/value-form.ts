import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import type { ValueForm } from '../../core/columns/feed-fields.ts'

const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number
const IS_EXACT = `BETWEEN ${MIN_SAFE_INTEGER} AND ${MAX_SAFE_INTEGER}`

/** A long beyond the exact doubles is a text: the driver would throw, or return only bigints. */
export function valueForm(type: ScalarType): ValueForm {
  if (type !== 'long') return {}
  return {
    select: (value) => `iif(${value} ${IS_EXACT}, ${value}, CAST(${value} AS TEXT))`,
    decode: (cell) => (typeof cell === 'string' ? BigInt(cell) : (cell as number)),
  }
}
