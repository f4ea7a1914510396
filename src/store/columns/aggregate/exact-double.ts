/** Sums of two doubles that lose nothing, and their quotients, rounded once. */

/** The exact sum of `high` and `low`, of which `high` is the nearest double. */
export interface DoublePair {
  readonly high: number
  readonly low: number
}

/** Returns the exact sum of two doubles (Knuth's TwoSum). No intermediate value may be infinite. */
function addExactly(a: number, b: number): DoublePair {
  const high = a + b
  const added = high - a
  return { high, low: a - (high - added) + (b - added) }
}

/** Returns the exact sum of doubles; undefined if a pair has no room for it. */
export function sumExactly(numbers: Iterable<number>): DoublePair | undefined {
  let sum: DoublePair = { high: 0, low: 0 }
  for (const number of numbers) {
    const { high, low } = addExactly(sum.high, number)
    const rest = addExactly(sum.low, low)
    if (rest.low !== 0) return undefined
    sum = addExactly(high, rest.high)
  }
  return sum
}

/** Doubles between these sizes, and the products below, are neither subnormal nor infinite. */
const MIN_SIZE = 2 ** -900
const MAX_SIZE = 2 ** 900
/** Half a double times a smaller whole number is exact. */
const MAX_DIVISOR = 2 ** 26
const SPLITTER = 2 ** 27 + 1
/** A double plus, or minus, itself times this number is its neighbour. */
const NEIGHBOUR = 2 ** -53 * (1 + 2 ** -52)
/** Far more than what the comparison of a remainder rounds. */
const MARGIN = 1 - 2 ** -30

/** Returns the double nearest to a quotient; undefined if doubles cannot decide which one it is. */
export function divideExactly({ high, low }: DoublePair, divisor: number): number | undefined {
  if (divisor === 1 || high === 0) return high
  const quotient = high / divisor
  const size = Math.abs(quotient)
  if (size < MIN_SIZE || Math.abs(high) > MAX_SIZE || divisor > MAX_DIVISOR) return undefined
  const split = quotient * SPLITTER
  const upper = split - (split - quotient)
  const remainder = high - upper * divisor - (quotient - upper) * divisor + low
  const above = size + size * NEIGHBOUR - size
  const below = size - (size - size * NEIGHBOUR)
  const halfway = (Math.min(above, below) / 2) * divisor
  return Math.abs(remainder) < halfway * MARGIN ? quotient : undefined
}
