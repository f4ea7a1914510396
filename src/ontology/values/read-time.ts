/** Parses dates and timestamps: checks them against the calendar and converts timestamps to UTC. */

import { refuse } from './refused-value.ts'

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const TIMESTAMP =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

/** Databases store microseconds and would silently round a finer time. */
const FRACTION_DIGITS = 6

export function readDate(value: unknown): string {
  const match = typeof value === 'string' ? DATE.exec(value) : null
  if (match === null) refuse('is not a date: YYYY-MM-DD')
  checkCalendar(Number(match[1]), Number(match[2]), Number(match[3]))
  return match[0]
}

/**
 * Parses ISO 8601 with an offset; seconds are optional. Returns UTC with the shortest of no fraction,
 * milliseconds and microseconds: `YYYY-MM-DDThh:mm:ss[.fff[fff]]Z`.
 */
export function readTimestamp(value: unknown): string {
  const match = typeof value === 'string' ? TIMESTAMP.exec(value) : null
  if (match === null) refuse('is not a timestamp: ISO 8601 with Z or an offset')
  const parts = match.slice(1, 7).map((part) => Number(part ?? 0))
  const [year, month, day, hour, minute, second] = parts as SixNumbers
  checkCalendar(year, month, day)
  if (hour > 23 || minute > 59 || second > 59)
    refuse('has a time of day outside 00:00:00 to 23:59:59')
  const fraction = readFraction(match[7] ?? '')
  const offset = offsetMinutes(match[8], Number(match[9] ?? 0), Number(match[10] ?? 0))

  // Not Date.UTC, which maps the years 0 to 99 to 1900 to 1999.
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute - offset, second)
  const utc = date.toISOString()
  if (utc.length !== 24) refuse('is outside the years 0000 to 9999')
  return `${utc.slice(0, 19)}${fraction}Z`
}

type SixNumbers = [number, number, number, number, number, number]

/** Pads a canonical timestamp to microseconds, so that text order is time order. */
export function sortableTimestamp(canonical: string): string {
  const fraction = canonical.slice(20, -1)
  return `${canonical.slice(0, 19)}.${fraction.padEnd(FRACTION_DIGITS, '0')}Z`
}

/** Reverses `sortableTimestamp`. */
export function canonicalTimestamp(sortable: string): string {
  return sortable.replace(/(?:\.000000|000)Z$/, 'Z')
}

function checkCalendar(year: number, month: number, day: number): void {
  if (month < 1 || month > 12) refuse('has a month outside 01 to 12')
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
  if (day < 1 || day > days) refuse('has a day that its month does not have')
}

function readFraction(digits: string): string {
  const significant = digits.replace(/0+$/, '')
  if (significant.length > FRACTION_DIGITS) refuse('is more precise than microseconds')
  if (significant === '') return ''
  return `.${significant.padEnd(significant.length > 3 ? 6 : 3, '0')}`
}

function offsetMinutes(sign: string | undefined, hours: number, minutes: number): number {
  if (hours > 23 || minutes > 59) refuse('has an offset outside -23:59 to +23:59')
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes)
}
