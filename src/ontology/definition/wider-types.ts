/** Which property types can hold every value of another one. */

import { isSameType, type PropertyType, type ScalarType } from './property-type.ts'

/** For each type, the types that every value of it can be converted to without loss. */
const WIDER: Partial<Record<ScalarType, readonly ScalarType[]>> = {
  byte: ['short', 'integer', 'long', 'decimal', 'float', 'double'],
  short: ['integer', 'long', 'decimal', 'float', 'double'],
  integer: ['long', 'decimal', 'double'],
  long: ['decimal'],
  float: ['double'],
  string: ['marking'],
}

/** True if every value of `a` can be converted to `b`, whatever it is. */
export function alwaysFits(a: PropertyType, b: PropertyType): boolean {
  if (isSameType(a, b)) return true
  if (b.kind === 'array') return alwaysFits(a.kind === 'array' ? a.items : a, b.items)
  if (a.kind !== 'scalar' || b.kind !== 'scalar') return false
  // Every scalar has a text.
  return b.type === 'string' || (WIDER[a.type]?.includes(b.type) ?? false)
}
