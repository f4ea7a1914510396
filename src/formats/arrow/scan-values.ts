/**
 * Reads numbers, dates and timestamps from bytes of JSON. Values in the form that the service stores are
 * read digit by digit, all others are parsed.
 */
import { daysOf, microsecondsOf } from '../column-values.ts'
import { decimalUnits } from '../decimal-digits.ts'
import type { DecimalDigits } from '../table-file.ts'
import type { JsonSource } from './json-source.ts'

const [QUOTE, MINUS, POINT, ZERO, NINE, UPPER_Z] = [0x22, 0x2d, 0x2e, 0x30, 0x39, 0x5a]
/** A double represents every number with this many digits exactly. */
const EXACT_DIGITS = 15
const TENS = Array.from({ length: EXACT_DIGITS + 1 }, (_, exponent) => 10 ** exponent)

/** Reads a JSON number, or the special number that a text names. */
export function readNumber(source: JsonSource): number {
  const { bytes, at: start } = source
  const isNegative = bytes[start] === MINUS
  const first = isNegative ? start + 1 : start
  let mantissa = 0
  let point = -1
  let at = first
  // A sign, digits and a point: the quotient of two exact numbers is the nearest double.
  for (; at - first < EXACT_DIGITS; at += 1) {
    const byte = bytes[at] as number
    if (byte >= ZERO && byte <= NINE) mantissa = 10 * mantissa + (byte - ZERO)
    else if (byte === POINT) point = at
    else break
  }
  source.at = at
  if (at === first || !source.endsNumber()) {
    source.at = start
    return Number(source.parse())
  }
  const value = point < 0 ? mantissa : mantissa / (TENS[at - point - 1] as number)
  return isNegative ? -value : value
}

/** Reads an integer of 64 bits, which JSON has as text. */
export function readInt64(source: JsonSource): number | bigint {
  const { bytes, at: start } = source
  const isNegative = bytes[start + 1] === MINUS
  const first = isNegative ? start + 2 : start + 1
  const end = endOfDigits(bytes, first, EXACT_DIGITS)
  if (bytes[start] !== QUOTE || end === first || bytes[end] !== QUOTE) {
    return BigInt(source.parse() as string)
  }
  source.at = end + 1
  const value = digitsAt(bytes, first, end)
  return isNegative ? -value : value
}

/** Returns a function that reads the units of decimals, which JSON has as text. */
export function decimalReader(digits: DecimalDigits): (source: JsonSource) => number | bigint {
  const { scale } = digits
  return (source) => {
    const { bytes, at: start } = source
    const isNegative = bytes[start + 1] === MINUS
    const first = isNegative ? start + 2 : start + 1
    const point = endOfDigits(bytes, first, EXACT_DIGITS)
    const hasFraction = bytes[point] === POINT
    const end = hasFraction ? endOfDigits(bytes, point + 1, EXACT_DIGITS) : point
    const missing = scale - (hasFraction ? end - point - 1 : 0)
    const isSafe = missing >= 0 && point - first + scale <= EXACT_DIGITS
    if (!isSafe || bytes[start] !== QUOTE || bytes[end] !== QUOTE) {
      return decimalUnits(source.parse() as string, digits)
    }
    source.at = end + 1
    const whole = digitsAt(bytes, first, point) * (TENS[scale] as number)
    const fraction = hasFraction ? digitsAt(bytes, point + 1, end) * (TENS[missing] as number) : 0
    return isNegative ? -whole - fraction : whole + fraction
  }
}

const DATE_LENGTH = 'YYYY-MM-DD'.length
const SECONDS_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length

/** Reads a date as days since 1970. */
export function readDate(source: JsonSource): number {
  const { bytes, at: start } = source
  const end = start + 1 + DATE_LENGTH
  const days = bytes[end] === QUOTE ? civilDays(bytes, start + 1) : -1
  if (days < 0) return daysOf(source.parse() as string)
  source.at = end + 1
  return days
}

/** Reads a timestamp as microseconds since 1970. */
export function readTimestamp(source: JsonSource): number | bigint {
  const { bytes, at: start } = source
  const days = civilDays(bytes, start + 1)
  const hours = digitsAt(bytes, start + 12, start + 14)
  const minutes = digitsAt(bytes, start + 15, start + 17)
  const seconds = digitsAt(bytes, start + 18, start + 20)
  const dot = start + 1 + SECONDS_LENGTH
  const end = bytes[dot] === POINT ? endOfDigits(bytes, dot + 1, MICROS_DIGITS) : dot
  const decimals = Math.max(0, end - dot - 1)
  const isPlain = days >= 0 && days < EXACT_DAYS && hours >= 0 && minutes >= 0 && seconds >= 0
  if (!isPlain || bytes[end] !== UPPER_Z || bytes[end + 1] !== QUOTE) {
    return microsecondsOf(source.parse() as string)
  }
  source.at = end + 2
  const micros = digitsAt(bytes, dot + 1, end) * (TENS[MICROS_DIGITS - decimals] as number)
  return (days * 86_400 + hours * 3600 + minutes * 60 + seconds) * 1_000_000 + micros
}

const MICROS_DIGITS = 6
/** Microseconds of times before the end of these days are exact as doubles. */
const EXACT_DAYS = 30_000

/** Returns the days since 1970 of `YYYY-MM-DD`; a negative number if it is older, or not a date. */
function civilDays(bytes: Uint8Array, start: number): number {
  const year = digitsAt(bytes, start, start + 4)
  const month = digitsAt(bytes, start + 5, start + 7)
  const day = digitsAt(bytes, start + 8, start + 10)
  if (year < 1970 || month < 1 || day < 1) return -1
  // The year begins in March, so that a leap day is its last day; 719,468 days lie before 1970.
  const years = month > 2 ? year : year - 1
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400)
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  return years * 365 + leapDays + dayOfYear - 719_468
}

/** Returns the number that digits are; -1 if they are others. */
function digitsAt(bytes: Uint8Array, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number
    if (!(byte >= ZERO && byte <= NINE)) return -1
    value = 10 * value + (byte - ZERO)
  }
  return value
}

/** Returns where digits end; digits beyond a maximum are not looked at. */
function endOfDigits(bytes: Uint8Array, start: number, most: number): number {
  let at = start
  while (at < start + most && (bytes[at] as number) >= ZERO && (bytes[at] as number) <= NINE)
    at += 1
  return at
}
