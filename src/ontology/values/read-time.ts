/** Parses dates and timestamps: checks them against the calendar and converts timestamps to UTC. */

import { refuse } from './refused-value.ts'

const DATE = /^\d{4}-\d\d-\d\d$/
const TIMESTAMP = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d)$/

/** Databases store microseconds and would silently round a finer time. */
const FRACTION_DIGITS = 6

export function readDate(value: unknown): string {
  if (typeof value !== 'string' || !DATE.test(value)) refuse('is not a date: YYYY-MM-DD')
  checkCalendar(value)
  return value
}

/**
 * Parses ISO 8601 with an offset; seconds are optional. Returns UTC with the shortest of no fraction,
 * milliseconds and microseconds: `YYYY-MM-DDThh:mm:ss[.fff[fff]]Z`.
 */
export function readTimestamp(value: unknown): string {
  if (typeof value !== 'string' || !TIMESTAMP.test(value)) {
    refuse('is not a timestamp: ISO 8601 with Z or an offset')
  }
  checkCalendar(value)
  const isUtc = value.endsWith('Z') || value.endsWith('z')
  const end = value.length - (isUtc ? 1 : 6)
  const seconds = end > 16 ? value.slice(17, 19) : '00'
  if (numberAt(value, 11) > 23 || numberAt(value, 14) > 59 || Number(seconds) > 59) {
    refuse('has a time of day outside 00:00:00 to 23:59:59')
  }
  const fraction = end > 20 ? readFraction(value.slice(20, end)) : ''
  const local = `${value.slice(0, 10)}T${value.slice(11, 16)}:${seconds}`
  return `${isUtc ? local : toUtc(local, value.slice(end))}${fraction}Z`
}

/** Returns the number that two digits of a text write. */
function numberAt(text: string, index: number): number {
  return 10 * (text.charCodeAt(index) - 48) + text.charCodeAt(index + 1) - 48
}

/** Converts `YYYY-MM-DDThh:mm:ss` at an offset, as `+hh:mm`, to UTC. */
function toUtc(local: string, offset: string): string {
  const [hours, minutes] = [numberAt(offset, 1), numberAt(offset, 4)]
  if (hours > 23 || minutes > 59) refuse('has an offset outside -23:59 to +23:59')
  const offsetMs = 60_000 * (hours * 60 + minutes)
  const localMs = Date.parse(`${local}Z`)
  const utc = new Date(
    offset.startsWith('-') ? localMs + offsetMs : localMs - offsetMs,
  ).toISOString()
  if (utc.length !== 24) refuse('is outside the years 0000 to 9999')
  return utc.slice(0, 19)
}

/** Pads a canonical timestamp to microseconds, so that text order is time order. */
export function sortableTimestamp(canonical: string): string {
  const fraction = canonical.slice(20, -1)
  return `${canonical.slice(0, 19)}.${fraction.padEnd(FRACTION_DIGITS, '0')}Z`
}

/** Reverses `sortableTimestamp`. */
export function canonicalTimestamp(sortable: string): string {
  return sortable.replace(/(?:\.000000|000)Z$/, 'Z')
}

const DAY_MS = 86_400_000
/** The days of 400 years, and those from the first of March of the year 0 to 1970. */
const ERA_DAYS = 146_097
const DAYS_TO_1970 = 719_468

/** Returns the days since 1970 of a text that begins with a valid `YYYY-MM-DD`. */
export function daysOf(date: string): number {
  const [month, day] = [numberAt(date, 5), numberAt(date, 8)]
  // A year begins in March here, so that a leap day is its last day.
  const year = 100 * numberAt(date, 0) + numberAt(date, 2) - Number(month <= 2)
  const era = Math.floor(year / 400)
  const yearOfEra = year - era * 400
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100)
  return era * ERA_DAYS + yearOfEra * 365 + leapDays + dayOfYear - DAYS_TO_1970
}

/** Returns the milliseconds since 1970 of a sortable timestamp, many times as fast as `Date.parse`. */
export function millisecondsOf(sortable: string): number {
  const minutes = 60 * numberAt(sortable, 11) + numberAt(sortable, 14)
  const seconds = 60 * minutes + numberAt(sortable, 17)
  return daysOf(sortable) * DAY_MS + seconds * 1000 + threeDigitsAt(sortable, 20)
}

/** Returns the microseconds of a sortable timestamp that are no whole millisecond. */
export function restOfMicroseconds(sortable: string): number {
  return threeDigitsAt(sortable, 23)
}

function threeDigitsAt(text: string, index: number): number {
  return 100 * (text.charCodeAt(index) - 48) + numberAt(text, index + 1)
}

/** Checks a text that begins with `YYYY-MM-DD`. */
function checkCalendar(text: string): void {
  const [month, day] = [numberAt(text, 5), numberAt(text, 8)]
  if (month < 1 || month > 12) refuse('has a month outside 01 to 12')
  // Every month has 28 days.
  if (day >= 1 && day <= 28) return
  const year = 100 * numberAt(text, 0) + numberAt(text, 2)
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
  if (day < 1 || day > days) refuse('has a day that its month does not have')
}

function readFraction(digits: string): string {
  const significant = digits.endsWith('0') ? digits.replace(/0+$/, '') : digits
  if (significant.length > FRACTION_DIGITS) refuse('is more precise than microseconds')
  if (significant === '') return ''
  return `.${significant.padEnd(significant.length > 3 ? 6 : 3, '0')}`
}
