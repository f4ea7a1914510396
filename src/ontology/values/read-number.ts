/**
 * Parses numbers as clients send them: JSON numbers, or strings of digits. `long` and `decimal` are
 * JSON strings on the wire, because most JSON parsers round large numbers.
 */

import { refuse } from './refused-value.ts'

const WHOLE = /^[+-]?\d{1,40}$/
/**
 * Captures sign, whole digits, fraction, fraction without whole digits, exponent. Every digit has
 * one way to match, so a long invalid text is refused in linear time.
 */
const NUMBER = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d{1,4}))?$/

/** Digits on each side of the decimal point; every supported database stores this many. */
const DECIMAL_DIGITS = 100

const LONG_MIN = -(2n ** 63n)
const LONG_MAX = 2n ** 63n - 1n

/** Returns a parser for whole numbers of the given width in bits. */
export function wholeNumberReader(type: string, bits: number): (value: unknown) => number {
  const min = -(2 ** (bits - 1))
  const max = 2 ** (bits - 1) - 1
  return (value) => {
    const number = typeof value === 'string' && WHOLE.test(value) ? Number(value) : value
    if (typeof number !== 'number' || !Number.isInteger(number))
      refuse(`is not ${type === 'integer' ? 'an' : 'a'} ${type}`)
    if (number < min || number > max) refuse(`is outside ${type}: ${min} to ${max}`)
    return withoutMinusZero(number)
  }
}

export function readLong(value: unknown): bigint {
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) refuse('is not a long')
    if (!Number.isSafeInteger(value)) {
      refuse('has lost digits as a JSON number; send a long as a JSON string')
    }
    return BigInt(value)
  }
  if (typeof value !== 'string' || !WHOLE.test(value)) refuse('is not a long')
  const long = BigInt(value.startsWith('+') ? value.slice(1) : value)
  if (long < LONG_MIN || long > LONG_MAX) refuse(`is outside long: ${LONG_MIN} to ${LONG_MAX}`)
  return long
}

/** Parses an exact decimal. Trailing zeros are significant and kept. */
export function readDecimal(value: unknown): string {
  const text = typeof value === 'number' ? exactText(value) : value
  const match = typeof text === 'string' ? NUMBER.exec(text) : null
  if (match === null) refuse('is not a decimal')
  const [, sign, whole = '', fraction = match[4] ?? '', , exponent = '0'] = match
  const number = movePoint(whole, fraction, Number(exponent))
  return sign === '-' && /[1-9]/.test(number) ? `-${number}` : number
}

/** Applies an exponent to a decimal text by moving its decimal point. */
function movePoint(whole: string, fraction: string, exponent: number): string {
  const digits = whole + fraction
  const point = whole.length + exponent
  const before = digits
    .slice(0, Math.max(point, 0))
    .padEnd(point, '0')
    .replace(/^0+(?=\d)/, '')
  const after = '0'.repeat(Math.max(-point, 0)) + digits.slice(Math.max(point, 0))
  if (before.length > DECIMAL_DIGITS || after.length > DECIMAL_DIGITS) {
    refuse(`has more than ${DECIMAL_DIGITS} digits on one side of the decimal point`)
  }
  return after === '' ? before : `${before === '' ? '0' : before}.${after}`
}

/** A JSON number was already rounded to a double, so only safe integers are known to be exact. */
function exactText(value: number): string {
  if (!Number.isSafeInteger(value)) {
    refuse('may have lost digits as a JSON number; send a decimal as a JSON string')
  }
  return String(value)
}

/** Returns a parser for `float` or `double`. NaN and the infinities are strings on the wire. */
export function floatingReader(type: 'float' | 'double'): (value: unknown) => number {
  return (value) => {
    if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value)
    const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value
    if (typeof number !== 'number' || !Number.isFinite(number)) refuse(`is not a ${type}`)
    // Compares the rounded value: the largest float is commonly printed as 3.4028235e38.
    if (type === 'float' && !Number.isFinite(Math.fround(number))) refuse('is outside float')
    return withoutMinusZero(number)
  }
}

/** True unless the text is a number that a double rounds to another one. */
export function isExactDouble(text: string): boolean {
  const exact = scientific(text)
  const number = Number(text)
  return exact === undefined || !Number.isFinite(number) || exact === scientific(String(number))
}

/** Returns the one form of a number without leading and trailing zeros. */
function scientific(text: string): string | undefined {
  const match = NUMBER.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = match[4] ?? '', , exponent = '0'] = match
  const digits = (whole + fraction).replace(/^0+/, '')
  // The lookbehind keeps the search linear if there are many zeros between the digits.
  const significant = digits.replace(/(?<!0)0+$/, '')
  if (significant === '') return '0'
  const power = Number(exponent) - fraction.length + digits.length - significant.length
  return `${sign === '-' ? '-' : ''}${significant}e${power}`
}

/** Minus zero equals zero, so both are stored as zero. */
function withoutMinusZero(number: number): number {
  return number === 0 ? 0 : number
}
