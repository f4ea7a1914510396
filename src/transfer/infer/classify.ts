/** Determines the traits of one value. Items and fields are not inspected. */
import type { CellKind } from '../../formats/row.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import { scalarReader, type ValueReader } from '../../ontology/values/read-value.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'
import { isPlainUtc } from '../columns/date-format.ts'
import { typedCellReader } from '../columns/read-cell.ts'

/**
 * Traits of values, as bits. A column has the traits of all its values, which determine the
 * narrowest type that can hold every value.
 */
export const TRAIT = {
  /** A boolean, or the text true or false. */
  boolean: 1 << 0,
  yes: 1 << 1,
  no: 1 << 2,
  /** An integer that leaves a 32-bit integer ample room for larger ones. */
  integer: 1 << 3,
  /** Another 64-bit integer. */
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

const WHOLE = /^-?(?:0|[1-9]\d*)$/
/** Some programs write no zero before the decimal point. */
const FRACTION = /^-?(?:0|[1-9]\d*)?\.\d+$/
const EXPONENT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?[eE][+-]?\d{1,4}$/
/** Both numbers need a fraction, because `1,234` and `1,5` are not geopoints. */
const GEOPOINT = /^\s*(-?\d{1,2}\.\d+)\s*,\s*(-?\d{1,3}\.\d+)\s*$/

const LONG_MIN = -(2n ** 63n)
const LONG_MAX = 2n ** 63n - 1n
/** Integers with fewer digits are a twentieth of the largest one of 32 bits, or less. */
const AMPLE_DIGITS = 9
const AMPLE_MAX = 10 ** (AMPLE_DIGITS - 1) - 1
/** The number of decimal digits that a double always preserves. */
const DOUBLE_DIGITS = 15
/** Longer texts are not treated as numbers. */
const MAX_NUMBER_LENGTH = 100

export function traitsOf(value: unknown, kind: CellKind): number {
  switch (typeof value) {
    case 'string':
      return kind === 'text' ? traitsOfText(value) : timeTraits(value)
    case 'boolean':
      return TRAIT.boolean
    case 'number':
      return traitsOfNumber(value)
    case 'bigint':
      // Only a column of 64-bit integers has them, however small.
      return traitsOfWhole(value) === TRAIT.integer ? TRAIT.long : traitsOfWhole(value)
    default:
      return traitsOfObject(value)
  }
}

/** Determines the traits of a text cell, which may represent any type. */
function traitsOfText(text: string): number {
  const trimmed = text.trim()
  const first = trimmed.charCodeAt(0)
  // A fast path: only a digit, a minus sign or a point can start a number, a geopoint or a time.
  if (first === 0x2d || first === 0x2e || (first >= 0x30 && first <= 0x39)) {
    return (
      numberTraits(trimmed) ??
      (GEOPOINT.test(trimmed) ? geopointTraits(trimmed) : timeTraits(trimmed))
    )
  }
  return BOOLEANS.get(trimmed.toLowerCase()) ?? SPECIAL.get(trimmed) ?? TRAIT.text
}

/**
 * Returns the traits of a text in one of the most common forms: a short plain number, a timestamp in
 * UTC with seconds, true or false; 0 for other texts.
 */
export function plainTraits(text: string): number {
  const { length } = text
  const first = text.charCodeAt(0)
  if (first >= 0x30 && first <= 0x39) {
    if (text.charCodeAt(DATE_LENGTH) === 0x54) return isPlainUtc(text) ? TRAIT.timestamp : 0
    return length > DOUBLE_DIGITS ? 0 : plainNumberTraits(text)
  }
  return text === 'true' || text === 'false' ? TRAIT.boolean : 0
}

/** Returns the traits of digits with at most one point; 0 if that can be something else. */
function plainNumberTraits(text: string): number {
  const last = text.length - 1
  let point = -1
  for (let at = 0; at <= last; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x2e && point === -1 && at < last) point = at
    else if (code < 0x30 || code > 0x39) return 0
  }
  const digits = point === -1 ? text.length : point
  if (digits > 1 && text.charCodeAt(0) === 0x30) return 0
  if (point !== -1) return TRAIT.fraction
  return text.length < AMPLE_DIGITS ? TRAIT.integer : 0
}

const DATE_LENGTH = '2024-02-29'.length

const BOOLEANS: ReadonlyMap<string, number> = new Map([
  ['true', TRAIT.boolean],
  ['false', TRAIT.boolean],
  ['yes', TRAIT.yes],
  ['no', TRAIT.no],
])

const SPECIAL: ReadonlyMap<string, number> = new Map([
  ['NaN', TRAIT.notFinite],
  ['Infinity', TRAIT.notFinite],
])

/** Digits with a leading zero or plus are codes, not numbers. */
function numberTraits(text: string): number | undefined {
  if (WHOLE.test(text)) {
    if (text === '-0') return TRAIT.fraction
    if (text.length < AMPLE_DIGITS) return TRAIT.integer
    if (text.length <= DOUBLE_DIGITS) return traitsOfNumber(Number(text))
    return text.length > 20 ? TRAIT.text : traitsOfWhole(BigInt(text), TRAIT.text)
  }
  if (text.length > MAX_NUMBER_LENGTH) return undefined
  if (FRACTION.test(text)) return survivesDouble(text) ? TRAIT.fraction : TRAIT.decimal
  if (EXPONENT.test(text)) {
    const number = Number(text)
    if (!Number.isFinite(number)) return TRAIT.text
    return text.length <= MAX_SCALED_LENGTH && fitsDecimal(number) ? TRAIT.scaled : TRAIT.floating
  }
  return text === '-Infinity' ? TRAIT.notFinite : undefined
}

function traitsOfWhole(whole: bigint, beyond: number = TRAIT.decimal): number {
  if (isAmple(Number(whole))) return TRAIT.integer
  if (whole < LONG_MIN || whole > LONG_MAX) return beyond
  return BigInt(Number(whole)) === whole ? TRAIT.long : TRAIT.long | TRAIT.wide
}

function traitsOfNumber(number: number): number {
  if (!Number.isFinite(number)) return TRAIT.notFinite
  if (!Number.isSafeInteger(number)) {
    return !Number.isInteger(number) && fitsDecimal(number) ? TRAIT.scaled : TRAIT.floating
  }
  return isAmple(number) ? TRAIT.integer : TRAIT.long
}

function isAmple(whole: number): boolean {
  return Math.abs(whole) <= AMPLE_MAX
}

/** Longer texts may have more digits than a decimal after their exponent is applied. */
const MAX_SCALED_LENGTH = 20

/** Returns whether a number with few digits has at most 100 of them on each side of the point. */
function fitsDecimal(number: number): boolean {
  const size = Math.abs(number)
  return size === 0 || (size > 1e-75 && size < 1e95)
}

/** Returns whether a double preserves all digits of a number. */
function survivesDouble(text: string): boolean {
  if (text.length <= DOUBLE_DIGITS) return true
  const digits = significantDigits(text)
  if (digits.length <= DOUBLE_DIGITS) return true
  return significantDigits(Number(text).toPrecision(digits.length)) === digits
}

/** Returns the digits of a decimal number without leading and trailing zeros. */
function significantDigits(text: string): string {
  return text.replace(/e.*$/, '').replace('.', '').replace(/^-?0*/, '').replace(/0+$/, '')
}

function geopointTraits(text: string): number {
  const [, latitude, longitude] = GEOPOINT.exec(text) ?? []
  const inside = Math.abs(Number(latitude)) <= 90 && Math.abs(Number(longitude)) <= 180
  return inside ? TRAIT.geopointText : TRAIT.text
}

const readDate = scalarReader('date')
const readTimestamp = typedCellReader({ kind: 'scalar', type: 'timestamp' })
const readGeoPoint = scalarReader('geopoint')
const readGeoShape = scalarReader('geoshape')

/** Dates and timestamps are text in every format. */
function timeTraits(text: string): number {
  if (text.length < 10 || text.charCodeAt(4) !== 0x2d || text.charCodeAt(7) !== 0x2d) {
    return TRAIT.text
  }
  if (text.length === 10) return takes(readDate, text) ? TRAIT.date : TRAIT.text
  return takes(readTimestamp, text) ? TRAIT.timestamp : TRAIT.text
}

function traitsOfObject(value: unknown): number {
  if (Array.isArray(value)) return TRAIT.array
  if (!isJsonObject(value)) return TRAIT.text
  if (!Object.hasOwn(value, 'coordinates') && !Object.hasOwn(value, 'geometries')) {
    return TRAIT.struct
  }
  if (takes(readGeoPoint, value)) return TRAIT.geopoint
  return takes(readGeoShape, value) ? TRAIT.geoshape : TRAIT.struct
}

function takes(read: ValueReader, value: unknown): boolean {
  try {
    read(value)
    return true
  } catch (error) {
    if (error instanceof RefusedValue) return false
    throw error
  }
}
