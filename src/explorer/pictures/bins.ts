/** Cuts the range of a property into bins with round edges. */

export interface Bin {
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

/** Skewed values are cut into steps of 1, 2 and 5, because equal bins would make one bar of them. */
const SKEWED_FROM = 1000

/** Returns about this many bins that cover all values from the smallest to the largest. */
export function numberBins(min: number, max: number, count = 24): readonly Bin[] {
  if (!Number.isFinite(min) || !Number.isFinite(max)) return []
  if (min === max) return [{ from: min, to: nextAfter(min) }]
  if (min >= 0 && max >= SKEWED_FROM && max / Math.max(1, min) >= SKEWED_FROM) {
    return logarithmicBins(max)
  }
  const step = roundStep((max - min) / count)
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
  return Number(value.toPrecision(12))
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

/** Returns the smallest unit that cuts a time range into at most this many parts. */
export function calendarUnit(
  fromMs: number,
  toMs: number,
  isDate: boolean,
  most = 120,
): CalendarUnit {
  const usable = UNITS.filter(([unit]) => !isDate || (unit !== 'MINUTES' && unit !== 'HOURS'))
  const [unit] = usable.find(([, ms]) => (toMs - fromMs) / ms <= most) ?? ['YEARS' as const]
  return unit
}
