/**
 * Reads numbers, dates and timestamps from bytes of JSON. Values in the form that the service stores are
 * read digit by digit, all others are parsed.
 */
import { daysOf, microsecondsOf } from '../column-values.ts'

const [QUOTE, MINUS, POINT, ZERO, NINE] = [0x22, 0x2d, 0x2e, 0x30, 0x39]
/** A double represents every number with this many digits exactly. */
const EXACT_DIGITS = 15
const TENS = Array.from({ length: EXACT_DIGITS + 1 }, (_, exponent) => 10 ** exponent)

/** Returns the text between two positions. */
export function textAt(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8')
}

/** Returns a JSON number, or the special number that a text names. */
export function numberAt(bytes: Uint8Array, start: number, end: number): number {
  const isNegative = bytes[start] === MINUS
  let mantissa = 0
  let decimals = -1
  let at = isNegative ? start + 1 : start
  // A sign, digits and a point: the quotient of two exact numbers is the nearest double.
  const isShort = end - at <= EXACT_DIGITS
  for (; isShort && at < end; at += 1) {
    const byte = bytes[at] as number
    if (byte >= ZERO && byte <= NINE) {
      mantissa = 10 * mantissa + (byte - ZERO)
      if (decimals >= 0) decimals += 1
    } else if (byte === POINT) decimals = 0
    else break
  }
  if (at < end) return Number(JSON.parse(textAt(bytes, start, end)))
  const value = decimals > 0 ? mantissa / (TENS[decimals] as number) : mantissa
  return isNegative ? -value : value
}

/** Returns an integer of 64 bits, which JSON has as text. */
export function int64At(bytes: Uint8Array, start: number, end: number): number | bigint {
  const isNegative = bytes[start + 1] === MINUS
  const first = isNegative ? start + 2 : start + 1
  const value = end - 1 - first <= EXACT_DIGITS ? digitsAt(bytes, first, end - 1) : -1
  if (value < 0 || bytes[start] !== QUOTE) return BigInt(JSON.parse(textAt(bytes, start, end)))
  return isNegative ? -value : value
}

const DATE_LENGTH = 'YYYY-MM-DD'.length
const SECONDS_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length

/** Returns the days of a date since 1970. */
export function dateAt(bytes: Uint8Array, start: number, end: number): number {
  const days = end - start === DATE_LENGTH + 2 ? civilDays(bytes, start + 1) : -1
  return days < 0 ? daysOf(JSON.parse(textAt(bytes, start, end))) : days
}

/** Returns the microseconds of a timestamp since 1970. */
export function timestampAt(bytes: Uint8Array, start: number, end: number): number | bigint {
  const days = civilDays(bytes, start + 1)
  const [hours, minutes, seconds] = [
    digitsAt(bytes, start + 12, start + 14),
    digitsAt(bytes, start + 15, start + 17),
    digitsAt(bytes, start + 18, start + 20),
  ]
  // A point and up to six digits, then Z and a quote.
  const fraction = start + SECONDS_LENGTH + 2
  const decimals = Math.max(0, end - 2 - fraction)
  const micros = digitsAt(bytes, fraction, fraction + decimals)
  const isShort = days >= 0 && days < 30_000 && decimals <= 6
  if (!isShort || hours < 0 || minutes < 0 || seconds < 0 || micros < 0) {
    return microsecondsOf(JSON.parse(textAt(bytes, start, end)))
  }
  const whole = days * 86_400 + hours * 3600 + minutes * 60 + seconds
  return whole * 1_000_000 + micros * (TENS[6 - decimals] as number)
}

/** Returns the days since 1970 of `YYYY-MM-DD`; a negative number if it is older, or not a date. */
function civilDays(bytes: Uint8Array, start: number): number {
  const year = digitsAt(bytes, start, start + 4)
  const month = digitsAt(bytes, start + 5, start + 7)
  const day = digitsAt(bytes, start + 8, start + 10)
  if (year < 1970 || month < 1 || day < 1) return -1
  return Date.UTC(year, month - 1, day) / 86_400_000
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
