import { refuse } from './refused-value.ts'

/**
 * Numbers, as the wire writes them: small ones as JSON numbers, `long` and `decimal` as JSON
 * strings because JSON readers lose digits. Each function gives the canonical JSON text.
 */

const WHOLE = /^[+-]?\d{1,40}$/
/**
 * The one spelling of numbers that need not be whole, for `float`, `double` and `decimal`: sign,
 * whole digits, fraction, fraction without whole digits, exponent. Each digit can be matched in one
 * way only, so that a long wrong text is refused in linear time.
 */
const NUMBER = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d{1,4}))?$/

/** Digits on each side of the point, enough for every database that has decimals. */
const DECIMAL_DIGITS = 100

const LONG_MIN = -(2n ** 63n)
const LONG_MAX = 2n ** 63n - 1n

/** A reader for whole numbers of the given width in bits; strings of digits are taken too. */
export function wholeNumberReader(type: string, bits: number): (value: unknown) => string {
  const min = -(2 ** (bits - 1))
  const max = 2 ** (bits - 1) - 1
  return (value) => {
    const number = typeof value === 'string' && WHOLE.test(value) ? Number(value) : value
    if (typeof number !== 'number' || !Number.isInteger(number))
      refuse(`is not ${type === 'integer' ? 'an' : 'a'} ${type}`)
    if (number < min || number > max) refuse(`is outside ${type}: ${min} to ${max}`)
    return number === 0 ? '0' : String(number)
  }
}

export function readLong(value: unknown): string {
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) refuse('is not a long')
    if (!Number.isSafeInteger(value)) {
      refuse('has lost digits as a JSON number; send a long as a JSON string')
    }
    return `"${BigInt(value)}"`
  }
  if (typeof value !== 'string' || !WHOLE.test(value)) refuse('is not a long')
  const long = BigInt(value.startsWith('+') ? value.slice(1) : value)
  if (long < LONG_MIN || long > LONG_MAX) refuse(`is outside long: ${LONG_MIN} to ${LONG_MAX}`)
  return `"${long}"`
}

/** Exact: digits after the point stay as they were sent, trailing zeros included. */
export function readDecimal(value: unknown): string {
  const text = typeof value === 'number' ? decimalText(value) : value
  const match = typeof text === 'string' ? NUMBER.exec(text) : null
  if (match === null) refuse('is not a decimal')
  const [, sign, whole = '', fraction = match[4] ?? '', , exponent = '0'] = match
  const number = movePoint(whole, fraction, Number(exponent))
  return sign === '-' && /[1-9]/.test(number) ? `"-${number}"` : `"${number}"`
}

/** Writes a number without its exponent: the same digits around a point at another place. */
function movePoint(whole: string, fraction: string, exponent: number): string {
  const digits = whole + fraction
  const point = whole.length + exponent
  const before = digits
    .slice(0, Math.max(point, 0))
    .padEnd(point, '0')
    .replace(/^0+(?=\d)/, '')
  const after = '0'.repeat(Math.max(-point, 0)) + digits.slice(Math.max(point, 0))
  if (before.length > DECIMAL_DIGITS || after.length > DECIMAL_DIGITS) {
    refuse(`has more than ${DECIMAL_DIGITS} digits on one side of the point`)
  }
  return after === '' ? before : `${before === '' ? '0' : before}.${after}`
}

/** A JSON number is read as a double, and what it was written as is not known any more. */
function decimalText(value: number): string {
  if (!Number.isSafeInteger(value)) {
    refuse('may have lost digits as a JSON number; send a decimal as a JSON string')
  }
  return String(value)
}

/** `float` and `double`: JSON has no NaN or infinities, so these are the strings of the wire. */
export function floatingReader(type: 'float' | 'double'): (value: unknown) => string {
  return (value) => {
    if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return `"${value}"`
    const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value
    if (typeof number !== 'number' || !Number.isFinite(number)) refuse(`is not a ${type}`)
    // Rounded as a client rounds: the largest float is commonly printed as 3.4028235e38.
    if (type === 'float' && !Number.isFinite(Math.fround(number))) refuse('is outside float')
    // Minus zero equals zero, so it is stored as zero.
    return number === 0 ? '0' : String(number)
  }
}
