/**
 * Traits of values, as bits. A column has the traits of all its values, which determine the
 * narrowest type that can hold every value.
 */
export const TRAIT = {
  /** A boolean, or the text true or false. */
  boolean: 1 << 0,
  yes: 1 << 1,
  no: 1 << 2,
  /** A 32-bit integer. */
  integer: 1 << 3,
  /** A 64-bit integer. */
  long: 1 << 4,
  /** A long that a double cannot hold exactly. */
  wide: 1 << 5,
  /** A decimal number that a double can hold. */
  fraction: 1 << 6,
  /** A number that only a double can hold: it is very large or very small. */
  floating: 1 << 7,
  /** NaN and the infinities. */
  notFinite: 1 << 8,
  /** A number with more digits than a double can hold. */
  decimal: 1 << 9,
  date: 1 << 10,
  timestamp: 1 << 11,
  /** `latitude,longitude` */
  geopointText: 1 << 12,
  geopoint: 1 << 13,
  geoshape: 1 << 14,
  array: 1 << 15,
  struct: 1 << 16,
  /** Null inside an array, which no property can hold. */
  nullItem: 1 << 17,
  text: 1 << 18,
  /** A number that a double and a decimal can hold: with an exponent, or parsed. */
  scaled: 1 << 19,
} as const

/** Returns whether a column has no traits other than the allowed ones. */
export function hasOnly(traits: number, allowed: number): boolean {
  return (traits & ~allowed) === 0
}
