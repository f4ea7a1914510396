/** Cuts a time range into bins with round edges. */

export interface Bin {
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

/** Returns 1, 2 or 5 times a power of ten, not less than the given width. */
export function roundStep(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width))
  const factor = [1, 2, 5, 10].find((each) => each * power >= width) ?? 10
  return factor * power
}

export type CalendarUnit = 'YEARS' | 'QUARTERS' | 'MONTHS' | 'WEEKS' | 'DAYS' | 'HOURS' | 'MINUTES'

const UNITS: readonly (readonly [unit: CalendarUnit, ms: number])[] = [
  ['MINUTES', 60_000],
  ['HOURS', 3_600_000],
  ['DAYS', 86_400_000],
  ['WEEKS', 7 * 86_400_000],
  ['MONTHS', 30.4375 * 86_400_000],
  ['QUARTERS', 91.3125 * 86_400_000],
  ['YEARS', 365.25 * 86_400_000],
]

/** More bars than this cannot be told apart. */
const MOST_TIME_BINS = 120

/** Returns the smallest unit that cuts a time range into few enough parts. */
export function calendarUnit(fromMs: number, toMs: number, isDate: boolean): CalendarUnit {
  const usable = UNITS.filter(([unit]) => !isDate || (unit !== 'MINUTES' && unit !== 'HOURS'))
  const [unit] = usable.find(([, ms]) => (toMs - fromMs) / ms <= MOST_TIME_BINS) ?? [
    'YEARS' as const,
  ]
  return unit
}

/**
 * Returns the bins of a calendar unit that cover a time range, in UTC, without gaps. Over centuries, a
 * bin is a round number of years.
 */
export function timeBins(fromMs: number, toMs: number, unit: CalendarUnit): readonly Bin[] {
  const parts = (toMs - fromMs) / unitMs(unit)
  const isLong = unit === 'YEARS' && parts > MOST_TIME_BINS
  const step = isLong ? Math.ceil(roundStep(parts / MOST_TIME_BINS)) : 1
  const bins: Bin[] = []
  for (let from = startOf(fromMs, unit, step); from <= toMs; ) {
    const to = nextStart(from, unit, step)
    bins.push({ from, to })
    from = to
  }
  return bins
}

const DAY_MS = 86_400_000
/** 1970-01-05 was a Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS
const MONTHS_OF = { MONTHS: 1, QUARTERS: 3, YEARS: 12 } as const

function startOf(ms: number, unit: CalendarUnit, step: number): number {
  if (unit in MONTHS_OF) {
    const date = new Date(ms)
    const months = MONTHS_OF[unit as keyof typeof MONTHS_OF]
    const month = date.getUTCMonth() - (date.getUTCMonth() % months)
    const year = date.getUTCFullYear()
    return unit === 'YEARS' ? utc(Math.floor(year / step) * step, 0) : utc(year, month)
  }
  const length = unitMs(unit)
  const offset = unit === 'WEEKS' ? FIRST_MONDAY_MS : 0
  return Math.floor((ms - offset) / length) * length + offset
}

function nextStart(ms: number, unit: CalendarUnit, step: number): number {
  if (!(unit in MONTHS_OF)) return ms + unitMs(unit)
  const date = new Date(ms)
  const month = date.getUTCMonth() + MONTHS_OF[unit as keyof typeof MONTHS_OF] * step
  return utc(date.getUTCFullYear(), month)
}

/** `Date.UTC` takes the years 0 to 99 for those of the 20th century. */
function utc(year: number, month: number): number {
  return new Date(0).setUTCFullYear(year, month, 1)
}

function unitMs(unit: CalendarUnit): number {
  return UNITS.find(([name]) => name === unit)?.[1] ?? DAY_MS
}
