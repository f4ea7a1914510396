/** Labels of axes, few enough to be read. */
import { ticks } from 'd3-array'
import type { CalendarUnit } from './time-bins.ts'

export interface Tick {
  /** The number of the bin at whose left edge the tick stands. */
  readonly index: number
  readonly label: string
}

/** Returns labels for edges of bins: at most this many, at equal distances. */
export function edgeTicks(
  edges: readonly number[],
  format: (value: number) => string,
  most: number,
): readonly Tick[] {
  const step = Math.max(1, Math.ceil((edges.length - 1) / Math.max(1, most - 1)))
  return edges.flatMap((edge, index) =>
    index % step === 0 ? [{ index, label: format(edge) }] : [],
  )
}

/** Returns round counts from zero up to the largest. Counts are whole. */
export function countTicks(largest: number): readonly number[] {
  return ticks(0, largest, 4).filter(Number.isInteger)
}

const MINUTE: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
}

const FORMATS: Readonly<Record<CalendarUnit, Intl.DateTimeFormatOptions>> = {
  YEARS: { year: 'numeric' },
  QUARTERS: { year: 'numeric', month: 'short' },
  MONTHS: { year: 'numeric', month: 'short' },
  WEEKS: { year: 'numeric', month: 'short', day: 'numeric' },
  DAYS: { year: 'numeric', month: 'short', day: 'numeric' },
  HOURS: MINUTE,
  MINUTES: MINUTE,
}

/** Returns a formatter of moments for a unit, in UTC. */
export function momentFormat(unit: CalendarUnit): (ms: number) => string {
  const format = new Intl.DateTimeFormat('en-GB', { ...FORMATS[unit], timeZone: 'UTC' })
  return (ms) => format.format(ms)
}
