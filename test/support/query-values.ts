/**
 * The reference model of comparisons, written from the contract: numbers as numbers, text by code
 * point, dates and timestamps by time. Values are JSON, in any spelling.
 */

import type { ScalarType } from '../../src/ontology/definition/property-type.ts'

/** A value in comparable form: a number of any size, or code points. */
type Measure = bigint | number | readonly number[]

const MEASURES: Readonly<Partial<Record<ScalarType, (value: unknown) => Measure>>> = {
  string: codePoints,
  marking: codePoints,
  boolean: (value) => (value === true || value === 'true' ? 1 : 0),
  byte: wholeNumber,
  short: wholeNumber,
  integer: wholeNumber,
  long: wholeNumber,
  float: Number,
  double: Number,
  decimal: scaledDecimal,
  date: (value) => Date.parse(`${value}T00:00:00Z`),
  timestamp: microseconds,
}

/** True if values of the type can be compared for equality. */
export function canBeEqual(type: ScalarType): boolean {
  return MEASURES[type] !== undefined
}

/** True if values of the type can be compared with less and greater. */
export function canBeLess(type: ScalarType): boolean {
  return canBeEqual(type) && type !== 'boolean' && type !== 'marking'
}

/** Negative, zero or positive, as the first value is less than, equal to or greater than the second. */
export function compareValues(type: ScalarType, a: unknown, b: unknown): number {
  const measure = MEASURES[type]
  if (measure === undefined) throw new Error(`values of type ${type} do not compare`)
  const [left, right] = [measure(a), measure(b)]
  if (typeof left === 'object' && typeof right === 'object') return compareLists(left, right)
  // NaN equals itself and comes after every number.
  const [isLeftNaN, isRightNaN] = [Number.isNaN(left), Number.isNaN(right)]
  if (isLeftNaN || isRightNaN) return Number(isLeftNaN) - Number(isRightNaN)
  return left < right ? -1 : left > right ? 1 : 0
}

function compareLists(left: readonly number[], right: readonly number[]): number {
  for (const [index, code] of left.entries()) {
    const other = right[index]
    if (other === undefined) return 1
    if (code !== other) return code - other
  }
  return left.length - right.length
}

function codePoints(value: unknown): readonly number[] {
  return [...String(value)].map((character) => character.codePointAt(0) ?? 0)
}

function wholeNumber(value: unknown): bigint {
  return BigInt(String(value).replace('+', ''))
}

/** More fraction digits than any decimal has. */
const DECIMAL_PLACES = 120

function scaledDecimal(value: unknown): bigint {
  const text = String(value)
  const [whole = '', fraction = ''] = text.replace(/^[+-]/, '').split('.')
  const magnitude = BigInt(whole + fraction.padEnd(DECIMAL_PLACES, '0'))
  return text.startsWith('-') ? -magnitude : magnitude
}

function microseconds(value: unknown): bigint {
  const match =
    /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2})(?:\.(\d+))?)?(?:Z|([+-])(\d{2}):(\d{2}))$/.exec(
      String(value),
    )
  if (match === null) throw new Error(`not a timestamp: ${value}`)
  const [, day, time, second = '00', fraction = '', sign, hours = '0', minutes = '0'] = match
  const local = BigInt(Date.parse(`${day}T${time}:${second}Z`)) * 1000n
  const offset = (BigInt(hours) * 60n + BigInt(minutes)) * 60_000_000n
  const micros = BigInt(fraction.padEnd(6, '0').slice(0, 6))
  return local + micros + (sign === '-' ? offset : -offset)
}
