/** Cuts the range of a property into bins with round edges, by the shape of its values. */

/** How the values of a property are spread: the middle nine tenths, and the extremes. */
export interface Shape {
  readonly min: number
  readonly max: number
  /** Nine of ten values are between the 5th and the 95th percentile. */
  readonly low: number
  readonly median: number
  readonly high: number
  /** Objects with a value. */
  readonly count: number
}

export interface NumberBins {
  readonly bins: readonly Bin[]
  readonly scale: 'linear' | 'logarithmic'
  /** True if the first bin holds all smaller values as well. */
  readonly isOpenBelow: boolean
  /** True if the last bin holds all larger values as well. */
  readonly isOpenAbove: boolean
}

/**
 * Values are skewed if those above the median reach this many times as far as those below it. Of
 * values that are spread evenly they reach as far, of waiting times about four times.
 */
const SKEWED_FROM = 8
/** The percentiles of fewer values are their extremes. */
const SHAPED_FROM = 20
const BINS = 24
const EDGE_DIGITS = 12
/** A logarithmic scale starts this far below the largest value at the latest. */
const MOST_DECADES = 1e12

/** Returns bins that cover all values from the smallest to the largest. */
export function numberBins(shape: Shape, isWhole = false): NumberBins {
  const { min, max } = shape
  if (!Number.isFinite(min) || !Number.isFinite(max)) return linear([], shape)
  if (min === max) return linear([{ from: min, to: nextAfter(min) }], shape)
  if (shape.count < SHAPED_FROM) return linear(linearBins(min, max, isWhole), shape)
  if (isSkewed(shape, isWhole)) {
    return { ...linear(logBins(shape, isWhole), shape), scale: 'logarithmic' }
  }
  const reach = shape.high - shape.low
  if (reach === 0) return linear(linearBins(min, max, isWhole), shape)
  // Far values share a bin, so that they do not push the others together.
  const from = min < shape.low - 2 * reach ? shape.low - reach : min
  const to = max > shape.high + 2 * reach ? shape.high + reach : max
  return linear(linearBins(from, to, isWhole), shape)
}

function linear(bins: readonly Bin[], { min, max }: Shape): NumberBins {
  return {
    bins,
    scale: 'linear',
    isOpenBelow: (bins[0]?.from ?? min) > min,
    isOpenAbove: (bins.at(-1)?.to ?? Number.POSITIVE_INFINITY) <= max,
  }
}

/** The percentiles decide, not the extremes: one outlier does not make a scale logarithmic. */
function isSkewed({ min, low, median, high }: Shape, isWhole: boolean): boolean {
  const below = Math.max(median - low, isWhole ? 1 : 0)
  return min >= 0 && below > 0 && (high - median) / below >= SKEWED_FROM
}

function linearBins(min: number, max: number, isWhole: boolean): readonly Bin[] {
  const width = roundStep(max / BINS - min / BINS)
  // Edges differ in their first digits, even between very large numbers.
  const least = Math.max(Math.abs(min), Math.abs(max)) / 10 ** (EDGE_DIGITS - 1)
  return stepBins(min, max, Math.max(isWhole ? 1 : 0, width, roundStep(least)))
}

/** Returns bins of one width, whose edges are multiples of it. */
export function stepBins(min: number, max: number, step: number): readonly Bin[] {
  const first = Math.floor(min / step)
  const bins: Bin[] = []
  for (let index = first; index * step <= max; index += 1) {
    bins.push({ from: clean(index * step), to: clean((index + 1) * step) })
  }
  return bins
}

/** 0, 1, 2, 5, 10, 20, 50, …: from zero only if there are values below the first step. */
function logBins({ min, max, low, median }: Shape, isWhole: boolean): readonly Bin[] {
  const least = min > 0 ? min : isWhole ? 1 : Math.max(low, median / 1000)
  const start = Math.max(least, max / MOST_DECADES)
  const edges: number[] = []
  for (let power = Math.floor(Math.log10(start)); (edges.at(-1) ?? 0) <= max; power += 1) {
    // Read as decimals, so that 0.3 is not 0.30000000000000004.
    edges.push(...[1, 2, 5].map((factor) => Number(`${factor}e${power}`)))
  }
  const first = edges.findLastIndex((edge) => edge <= start)
  const last = edges.findIndex((edge) => edge > max)
  const used = edges.slice(Math.max(0, first), last + 1)
  const all = (used[0] ?? 0) > min ? [0, ...used] : used
  return all
    .slice(0, -1)
    .map((from, index) => ({ from, to: Math.min(all[index + 1] ?? max, Number.MAX_VALUE) }))
}

/** Removes the noise of binary fractions: 0.30000000000000004 becomes 0.3. */
function clean(value: number): number {
  return Number(value.toPrecision(EDGE_DIGITS))
}

function nextAfter(value: number): number {
  return value + Math.max(1, Math.abs(value) * 1e-9)
}

/** Cuts a time range into bins with round edges. */
export interface Bin {
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

/** Returns 1, 2 or 5 times a power of ten, not less than the given width. */
function roundStep(width: number): number {
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

export function unitMs(unit: CalendarUnit): number {
  return UNITS.find(([name]) => name === unit)?.[1] ?? DAY_MS
}
