/**
 * What the values of a column look like, as bits: a value has one or two of them, a column those of
 * all its values. They are enough to tell the narrowest type that takes every value.
 */
export const TRAIT = {
  /** A boolean, or the words true and false. */
  boolean: 1 << 0,
  yes: 1 << 1,
  no: 1 << 2,
  /** Whole, 32 bits. */
  integer: 1 << 3,
  /** Whole, 64 bits. */
  long: 1 << 4,
  /** A long that a double does not hold exactly. */
  wide: 1 << 5,
  /** Digits and a point, held by a double. */
  fraction: 1 << 6,
  /** A number that only a double holds: with an exponent, or already a double. */
  floating: 1 << 7,
  /** NaN and the infinities. */
  notFinite: 1 << 8,
  /** A number with more digits than a double holds. */
  decimal: 1 << 9,
  date: 1 << 10,
  timestamp: 1 << 11,
  /** `latitude,longitude` */
  placeText: 1 << 12,
  geopoint: 1 << 13,
  geoshape: 1 << 14,
  array: 1 << 15,
  struct: 1 << 16,
  /** Null, where a property cannot hold it: inside an array. */
  nullItem: 1 << 17,
  text: 1 << 18,
} as const

/** Whether a column has no other traits than these. */
export function hasOnly(traits: number, allowed: number): boolean {
  return (traits & ~allowed) === 0
}
