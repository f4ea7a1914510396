/** The intervals of a grouping by duration: how they are written, and the names of their groups. */

import type { TimeStep, TimeType } from './aggregation.ts'

export const DAY_SECONDS = 86_400

/**
 * ISO 8601 durations of fixed length: months and years have none. Fractions of seconds are not part of
 * the public API.
 */
const DURATION = /^P(?!$)(?:(\d{1,9})D)?(?:T(?!$)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/

/** Returns the length in seconds, or undefined if the text is invalid or the length is zero. */
export function readDuration(text: string): number | undefined {
  const match = DURATION.exec(text)
  if (match === null) return undefined
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((digits) => Number(digits ?? 0))
  const total = days * DAY_SECONDS + hours * 3600 + minutes * 60 + seconds
  return total > 0 ? total : undefined
}

/** The start of the year 0000, the earliest that dates and timestamps can express. */
const EARLIEST_MILLISECONDS = -62_167_219_200_000

/**
 * Formats the start of an interval as a date or timestamp. An earlier start is reported as the year
 * 0000, which no stored value precedes.
 */
export function intervalStart(type: 'date' | 'timestamp', epochMilliseconds: number): string {
  const text = new Date(Math.max(epochMilliseconds, EARLIEST_MILLISECONDS)).toISOString()
  return type === 'date' ? text.slice(0, 10) : text.replace('.000Z', 'Z')
}

export const WEEK_SECONDS = 7 * DAY_SECONDS

/** The seconds from a Monday to 1970-01-01, a Thursday. */
export const WEEK_OFFSET_SECONDS = 3 * DAY_SECONDS

export const TIME_UNITS = [
  'MILLISECONDS',
  'SECONDS',
  'MINUTES',
  'HOURS',
  'DAYS',
  'WEEKS',
  'MONTHS',
  'QUARTERS',
  'YEARS',
] as const

export type TimeUnit = (typeof TIME_UNITS)[number]

/** Units up to a day, which can be multiplied. */
const SECONDS = { SECONDS: 1, MINUTES: 60, HOURS: 3600, DAYS: DAY_SECONDS } as const

/** Calendar units, which cannot. */
const CALENDAR: Readonly<Record<'WEEKS' | 'MONTHS' | 'QUARTERS' | 'YEARS', TimeStep>> = {
  WEEKS: { unit: 'week' },
  MONTHS: { unit: 'months', count: 1 },
  QUARTERS: { unit: 'months', count: 3 },
  YEARS: { unit: 'months', count: 12 },
}

/** Returns the step of a value and a unit, or the reason why a property of the type has none. */
export function readTimeStep(type: TimeType, value: number, unit: TimeUnit): TimeStep | string {
  switch (unit) {
    case 'WEEKS':
    case 'MONTHS':
    case 'QUARTERS':
    case 'YEARS':
      return value === 1 ? CALENDAR[unit] : `requires the value 1 for the unit ${unit}`
    case 'DAYS':
      return { unit: 'seconds', count: value * DAY_SECONDS }
    default:
      if (type === 'date') return `is shorter than a day, which a date does not support`
      return unit === 'MILLISECONDS'
        ? { unit: 'milliseconds', count: value }
        : { unit: 'seconds', count: value * SECONDS[unit] }
  }
}

/** Returns the JSON text of the interval with a number, counted in steps. */
export function stepStartJson(type: TimeType, step: TimeStep, number: bigint): string {
  switch (step.unit) {
    case 'milliseconds':
      return `"${intervalStart(type, Number(number * BigInt(step.count)))}"`
    case 'seconds':
      return `"${intervalStart(type, Number(number * BigInt(step.count)) * 1000)}"`
    case 'week': {
      const seconds = Number(number) * WEEK_SECONDS - WEEK_OFFSET_SECONDS
      return `"${intervalStart(type, seconds * 1000)}"`
    }
    case 'months': {
      const months = Number(number) * step.count
      const year = String(Math.floor(months / 12)).padStart(4, '0')
      const month = String((months % 12) + 1).padStart(2, '0')
      return `"${year}-${month}-01${type === 'date' ? '' : 'T00:00:00Z'}"`
    }
  }
}
