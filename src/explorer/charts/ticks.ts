/** Labels of axes, few enough to be read. */
import type { CalendarUnit } from './number-bins.ts'

export interface Tick {
  /** The number of the bin at whose left edge the tick stands. */
  readonly index: number
  readonly label: string
}

/** Returns a label for each edge of bins. */
export function edgeTicks(
  edges: readonly number[],
  format: (value: number) => string,
): readonly Tick[] {
  return edges.map((edge, index) => ({ index, label: format(edge) }))
}

/** Returns at most this many labels, at equal distances. */
export function fewTicks(all: readonly Tick[], most: number): readonly Tick[] {
  const step = Math.max(1, Math.ceil((all.at(-1)?.index ?? 0) / Math.max(1, most - 1)))
  return all.filter(({ index }) => index % step === 0)
}

/** The place of the labels below the bars of a chart. */
export interface TickSpace {
  /** The width of a bar. */
  readonly slot: number
  readonly bars: number
  /** The room on the right of the last bar. */
  readonly rest: number
}

export type TickAnchor = 'start' | 'middle' | 'end'

/** The outer labels stay between the ends of the axis. */
export function tickAnchor(index: number, bars: number): TickAnchor {
  if (index === bars) return 'end'
  return index === 0 ? 'start' : 'middle'
}

/** The mean width of a character, and the least gap between two labels. */
const CHARACTER = 6.2
const LABEL_GAP = 8

/** Leaves out labels, at equal distances, until none touches another or leaves the chart. */
export function fittingTicks(all: readonly Tick[], space: TickSpace): readonly Tick[] {
  for (let step = 1; step < all.length; step += 1) {
    const some = all.filter((_, place) => place % step === 0)
    const last = some.at(-1)
    const isInside =
      last !== undefined && extentOf(last, space)[1] <= space.slot * space.bars + space.rest
    const fitting = isInside ? some : some.slice(0, -1)
    if (!touches(fitting, space)) return fitting
  }
  return all.slice(0, 1)
}

function touches(some: readonly Tick[], space: TickSpace): boolean {
  const extents = some.map((tick) => extentOf(tick, space))
  return extents.some(([start], place) => {
    const before = extents[place - 1]
    return before !== undefined && start - before[1] < LABEL_GAP
  })
}

function extentOf({ index, label }: Tick, { slot, bars }: TickSpace): readonly [number, number] {
  const width = label.length * CHARACTER
  const shares = { start: 0, middle: 0.5, end: 1 } as const
  const start = index * slot - shares[tickAnchor(index, bars)] * width
  return [start, start + width]
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
