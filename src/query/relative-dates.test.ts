import { describe, expect, it } from 'vitest'
import type { Query, RelativePoint } from './query.ts'
import { resolveRelativeDates } from './relative-dates.ts'

const field = { property: 'day', structField: undefined }

function range(
  type: 'date' | 'timestamp',
  timeZone: string,
  start: RelativePoint | undefined,
  end?: RelativePoint,
): Query {
  return { kind: 'relativeDates', field, type, start, end, timeZone }
}

/** Returns the bounds of the resolved range. */
function bounds(query: Query, at: string): unknown[] {
  const resolved = resolveRelativeDates(query, Date.parse(at))
  if (resolved.kind !== 'and') throw new Error('not a range')
  return resolved.of.map((one) => (one.kind === 'compare' ? `${one.operator} ${one.value}` : one))
}

const days = (value: number): RelativePoint => ({ value, unit: 'DAY' })

describe('a relative date range', () => {
  it('of dates is from the first day, included, to the last day, excluded', () => {
    const query = range('date', 'UTC', days(-7), days(0))
    expect(bounds(query, '2026-03-05T13:00:00Z')).toEqual(['gte 2026-02-26', 'lt 2026-03-05'])
  })

  it.each([
    ['2026-03-05T23:30:00Z', 'Europe/Berlin', 'gte 2026-03-06'],
    ['2026-03-05T23:30:00Z', 'UTC', 'gte 2026-03-05'],
    ['2026-03-05T03:30:00Z', 'America/New_York', 'gte 2026-03-04'],
    ['2026-03-05T11:30:00Z', 'Pacific/Kiritimati', 'gte 2026-03-06'],
  ])('at %s is today in %s', (at, timeZone, bound) => {
    expect(bounds(range('date', timeZone, days(0)), at)).toEqual([bound])
  })

  it.each<[RelativePoint, string, string]>([
    [{ value: 1, unit: 'MONTH' }, '2026-01-31T12:00:00Z', 'gte 2026-02-28'],
    [{ value: -1, unit: 'MONTH' }, '2026-03-31T12:00:00Z', 'gte 2026-02-28'],
    [{ value: -1, unit: 'YEAR' }, '2024-02-29T12:00:00Z', 'gte 2023-02-28'],
    [{ value: -2, unit: 'WEEK' }, '2026-01-05T12:00:00Z', 'gte 2025-12-22'],
    [{ value: -1000, unit: 'YEAR' }, '2026-01-05T12:00:00Z', 'gte 1026-01-05'],
  ])('counts %j as the calendar does', (point, at, bound) => {
    expect(bounds(range('date', 'UTC', point), at)).toEqual([bound])
  })

  it.each([
    // Clocks go forward at 02:00, and back at 03:00.
    ['Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00', '2026-03-29T22:00:00'],
    ['Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00', '2026-10-25T23:00:00'],
    // Clocks went forward at midnight: the day started at one.
    ['America/Sao_Paulo', '2018-11-04T12:00:00Z', '2018-11-04T03:00:00', '2018-11-05T02:00:00'],
  ])('of timestamps in %s lasts from midnight to midnight', (timeZone, at, start, end) => {
    const [low, high] = bounds(range('timestamp', timeZone, days(0), days(1)), at)
    expect(low).toContain(`gte ${start}`)
    expect(high).toContain(`lt ${end}`)
  })

  it('is resolved wherever it is in the query', () => {
    const inner = range('date', 'UTC', days(0))
    const query: Query = { kind: 'or', of: [{ kind: 'not', of: { kind: 'and', of: [inner] } }] }
    const resolved = JSON.stringify(resolveRelativeDates(query, 0))
    expect(resolved).toContain('1970-01-01')
    expect(resolved).not.toContain('relativeDates')
  })
})

it('leaves other queries as they are', () => {
  const query: Query = { kind: 'and', of: [{ kind: 'not', of: { kind: 'isNull', property: 'a' } }] }
  expect(resolveRelativeDates(query, 0)).toBe(query)
})
