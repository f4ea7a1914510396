/** Cuts the range of a property into bins with round edges. */

export interface Bin {
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

/** Skewed values are cut into steps of 1, 2 and 5, because equal bins would make one bar of them. */
const SKEWED_FROM = 1000
const EDGE_DIGITS = 12

export interface BinOptions {
  /** About how many bins. */
  readonly count?: number
  /** True if all values are whole numbers, so that no bin is narrower than one. */
  readonly isWhole?: boolean
}

/** Returns bins that cover all values from the smallest to the largest. */
export function numberBins(
  min: number,
  max: number,
  { count = 24, isWhole = false }: BinOptions = {},
): readonly Bin[] {
  if (!Number.isFinite(min) || !Number.isFinite(max)) return []
  if (min === max) return [{ from: min, to: nextAfter(min) }]
  if (min >= 0 && max >= SKEWED_FROM && max / Math.max(1, min) >= SKEWED_FROM) {
    return logarithmicBins(max)
  }
  const width = roundStep((max - min) / count)
  // Edges differ in their first digits, even between very large numbers.
  const least = Math.max(Math.abs(min), Math.abs(max)) / 10 ** (EDGE_DIGITS - 1)
  const step = Math.max(isWhole ? 1 : 0, width, roundStep(least))
  const first = Math.floor(min / step)
  const bins: Bin[] = []
  for (let index = first; index * step <= max; index += 1) {
    bins.push({ from: clean(index * step), to: clean((index + 1) * step) })
  }
  return bins
}

/** 0, 1, 2, 5, 10, 20, 50, … */
function logarithmicBins(max: number): readonly Bin[] {
  const edges = [0]
  for (let power = 1; edges.at(-1) === 0 || (edges.at(-1) ?? 0) <= max; power *= 10) {
    edges.push(power, 2 * power, 5 * power)
  }
  const last = edges.findIndex((edge) => edge > max)
  return edges.slice(0, last).map((from, index) => ({ from, to: edges[index + 1] ?? from }))
}

/** Returns 1, 2 or 5 times a power of ten, not less than the given width. */
function roundStep(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width))
  const factor = [1, 2, 5, 10].find((each) => each * power >= width) ?? 10
  return factor * power
}

/** Removes the noise of binary fractions: 0.30000000000000004 becomes 0.3. */
function clean(value: number): number {
  return Number(value.toPrecision(EDGE_DIGITS))
}

function nextAfter(value: number): number {
  return value + Math.max(1, Math.abs(value) * 1e-9)
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
