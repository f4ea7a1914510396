/**
 * Dates relative to the moment of a query. A query keeps them as the client wrote them, so that page
 * tokens stay bound to the request; they are resolved once per walk, at the moment when it started,
 * so that no page of it crosses midnight.
 */

import { readComparedValue } from './compared-value.ts'
import type { Query, RelativePoint } from './query.ts'
import { replaceConditions } from './query-tree.ts'

type RelativeDates = Query & { kind: 'relativeDates' }

/** Returns the query with absolute dates; the same object if it has no relative ones. */
export function resolveRelativeDates(query: Query, atMs: number): Query {
  return replaceConditions(query, (condition) => {
    if (condition.kind === 'relativeDates') return toRange(condition, atMs)
    if (condition.kind !== 'linked') return condition
    const of = resolveRelativeDates(condition.of, atMs)
    return of === condition.of ? condition : { ...condition, of }
  })
}

/** From the start, included, to the end, excluded. */
function toRange({ field, type, start, end, timeZone }: RelativeDates, atMs: number): Query {
  const calendar = new Calendar(timeZone)
  const bound = (operator: 'gte' | 'lt', point: RelativePoint | undefined): Query[] => {
    if (point === undefined) return []
    const day = shiftDay(calendar.dayOf(atMs), point)
    const text = type === 'date' ? dayText(day) : new Date(calendar.startOf(day)).toISOString()
    return [{ kind: 'compare', field, operator, value: readComparedValue(type, text) }]
  }
  return { kind: 'and', of: [...bound('gte', start), ...bound('lt', end)] }
}

/** A day of the calendar, as the UTC milliseconds at which a day of this name starts. */
type Day = number

const DAY_MS = 86_400_000

function dayText(day: Day): string {
  return new Date(day).toISOString().slice(0, 10)
}

/** Adds to a day. A month later is the same day of the month, or the last one. */
function shiftDay(day: Day, { value, unit }: RelativePoint): Day {
  if (unit === 'DAY') return day + value * DAY_MS
  if (unit === 'WEEK') return day + 7 * value * DAY_MS
  const date = new Date(day)
  const month = date.getUTCMonth() + value * (unit === 'YEAR' ? 12 : 1)
  const lastOfMonth = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate()
  return Date.UTC(date.getUTCFullYear(), month, Math.min(date.getUTCDate(), lastOfMonth))
}

/** True if the runtime knows a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Offsets of time zones are less than a day. */
const MAX_OFFSET_MS = DAY_MS

/** The calendar of a time zone. */
class Calendar {
  readonly #format: Intl.DateTimeFormat

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
    })
  }

  dayOf(atMs: number): Day {
    const parts = new Map(
      this.#format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]),
    )
    return Date.UTC(parts.get('year') ?? 0, (parts.get('month') ?? 1) - 1, parts.get('day') ?? 1)
  }

  /** Returns the first moment of a day, which is not always midnight; found by bisection. */
  startOf(day: Day): number {
    let before = day - MAX_OFFSET_MS
    let after = day + MAX_OFFSET_MS
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      if (this.dayOf(middle) >= day) after = middle
      else before = middle
    }
    return after
  }
}
