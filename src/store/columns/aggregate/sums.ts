/** Sums and means of groups: exact for whole numbers and decimals, compensated for doubles. */
import { type Decimal, decodeDecimal } from '../../../ontology/values/column-value.ts'
import { ratioToDouble } from '../../../query/aggregation/column-number.ts'
import { doubleJson } from '../../sql/group-writer.ts'
import { type Bits, hasBit } from '../arrays/bits.ts'
import type { Column } from '../segment/column.ts'
import { selectDoubles, selectWholes } from '../segment/read-chunk.ts'
import { type Accumulator, type AddRows, type GroupedRows, larger } from './accumulator.ts'

/** The number of values in each group: that of the rows, without those that have none. */
class ValueCounts {
  /** Counted instead of the values, because most columns have no absent ones. */
  absent = new Float64Array(1)
  #rows: Float64Array = new Float64Array(1)

  reserve(groups: number): void {
    this.absent = larger(this.absent, groups)
  }

  finish(rows: Float64Array): void {
    this.#rows = rows
  }

  of(group: number): number {
    return (this.#rows[group] as number) - (this.absent[group] as number)
  }
}

/** An exact sum of a group, and the number of its values. */
abstract class ExactSums implements Accumulator {
  readonly #isMean: boolean
  protected readonly counts = new ValueCounts()

  constructor(isMean: boolean) {
    this.#isMean = isMean
  }

  reserve(groups: number): void {
    this.counts.reserve(groups)
  }

  abstract columnAdder(column: Column): AddRows | undefined
  protected abstract sumOf(group: number): Decimal

  finish(rows: Float64Array): void {
    this.counts.finish(rows)
  }

  json(group: number): string | undefined {
    if (this.counts.of(group) === 0) return undefined
    const { units, scale } = this.sumOf(group)
    // The only rounding.
    return doubleJson(ratioToDouble(units, 10n ** BigInt(scale) * this.#divisor(group)))
  }

  /** Compares quotients without dividing. All sums of a metric have the same scale. */
  compare(a: number, b: number): number {
    const left = this.sumOf(a).units * this.#divisor(b)
    const right = this.sumOf(b).units * this.#divisor(a)
    return left < right ? -1 : Number(left > right)
  }

  #divisor(group: number): bigint {
    return this.#isMean ? BigInt(this.counts.of(group)) : 1n
  }
}

/** Sums of this many halves of numbers are exact. */
const HALF = 2 ** 27

export class WholeSums extends ExactSums {
  #high = new Float64Array(1)
  #low = new Float64Array(1)

  override reserve(groups: number): void {
    super.reserve(groups)
    this.#high = larger(this.#high, groups)
    this.#low = larger(this.#low, groups)
  }

  columnAdder(column: Column): AddRows | undefined {
    if (column.kind !== 'numbers') return undefined
    const { values, present, range } = column
    const isSmall = range.max < HALF && range.min > -HALF
    return (rows) => {
      const chunk = selectDoubles(values, rows)
      const high = isSmall ? undefined : this.#high
      addWholes(chunk, present, rows, { absent: this.counts.absent, low: this.#low, high })
    }
  }

  protected sumOf(group: number): Decimal {
    const high = BigInt(this.#high[group] as number) * BigInt(HALF)
    return { units: high + BigInt(this.#low[group] as number), scale: 0 }
  }
}

function addWholes(
  chunk: Float64Array,
  present: Bits | undefined,
  { from, places, groups, count }: GroupedRows,
  sums: { absent: Float64Array; low: Float64Array; high: Float64Array | undefined },
): void {
  const { absent, low, high } = sums
  for (let at = 0; at < count; at += 1) {
    const group = groups[at] as number
    if (present !== undefined && !hasBit(present, from + (places[at] as number))) {
      absent[group] = (absent[group] as number) + 1
      continue
    }
    const value = chunk[at] as number
    const rest = high === undefined ? value : value % HALF
    low[group] = (low[group] as number) + rest
    if (high !== undefined) high[group] = (high[group] as number) + (value - rest) / HALF
  }
}

/** Decimals are texts, each of which is read once per segment. */
export class DecimalSums extends ExactSums {
  /** The largest scale so far, which all sums have. */
  #scale = 0
  #sums: bigint[] = []

  columnAdder(column: Column): AddRows | undefined {
    if (column.kind !== 'codes') return undefined
    const { codes, dictionary } = column
    const decimals = Array.from(dictionary.slice(0, dictionary.size), decodeDecimal)
    this.#rescale(decimals.reduce((scale, one) => Math.max(scale, one.scale), this.#scale))
    const units = decimals.map(({ units: own, scale }) => own * 10n ** BigInt(this.#scale - scale))
    return (rows) => {
      const chunk = selectWholes(codes, rows)
      const { absent } = this.counts
      for (let at = 0; at < rows.count; at += 1) {
        const code = chunk[at] as number
        const group = rows.groups[at] as number
        if (code === 0) absent[group] = (absent[group] as number) + 1
        else this.#sums[group] = (this.#sums[group] ?? 0n) + (units[code - 1] ?? 0n)
      }
    }
  }

  #rescale(scale: number): void {
    const factor = 10n ** BigInt(scale - this.#scale)
    this.#sums = this.#sums.map((sum) => sum * factor)
    this.#scale = scale
  }

  protected sumOf(group: number): Decimal {
    return { units: this.#sums[group] ?? 0n, scale: this.#scale }
  }
}

/** Sums with a correction for what each addition loses (Knuth's TwoSum). */
export class DoubleSums implements Accumulator {
  readonly #isMean: boolean
  readonly #counts = new ValueCounts()
  #sums = new Float64Array(1)
  #lost = new Float64Array(1)
  /** A sum that became too large for a double, divided by `DIVISOR`; then `#sums` has NaN. */
  #reduced = new Float64Array(1)
  /** The sum of the infinities and NaNs of a group, which outweighs its numbers. */
  #special = new Float64Array(1)
  /** False once a sum could become too large for a double. */
  #areSmall = true

  constructor(isMean: boolean) {
    this.#isMean = isMean
  }

  reserve(groups: number): void {
    this.#counts.reserve(groups)
    this.#sums = larger(this.#sums, groups)
    this.#lost = larger(this.#lost, groups)
    this.#reduced = larger(this.#reduced, groups)
    this.#special = larger(this.#special, groups)
  }

  columnAdder(column: Column): AddRows | undefined {
    if (column.kind !== 'numbers') return undefined
    const { values, present, range } = column
    this.#areSmall &&= range.max < SMALL && range.min > -SMALL
    return (rows) => {
      const chunk = selectDoubles(values, rows)
      const [sums, lost, special] = [this.#sums, this.#lost, this.#special]
      const state = { absent: this.#counts.absent, sums, lost, special }
      if (this.#areSmall) addSmall(chunk, present, rows, state)
      else addDoubles(chunk, present, rows, state, (...of) => this.#addSlowly(...of))
    }
  }

  /** Adds a value that is not finite, or one to a sum that exceeds all doubles. */
  #addSlowly(group: number, value: number): void {
    if (!Number.isFinite(value)) {
      this.#special[group] = (this.#special[group] as number) + value
      return
    }
    const sum = this.#sums[group] as number
    if (!Number.isNaN(sum)) {
      this.#reduced[group] = (sum + (this.#lost[group] as number)) / DIVISOR
      this.#sums[group] = Number.NaN
    }
    this.#reduced[group] = (this.#reduced[group] as number) + value / DIVISOR
  }

  finish(rows: Float64Array): void {
    this.#counts.finish(rows)
  }

  json(group: number): string | undefined {
    return this.#counts.of(group) === 0 ? undefined : doubleJson(this.#valueOf(group))
  }

  compare(a: number, b: number): number {
    return compareNumbers(this.#valueOf(a), this.#valueOf(b))
  }

  #valueOf(group: number): number {
    const special = this.#special[group] as number
    if (special !== 0) return special
    const sum = (this.#sums[group] as number) + (this.#lost[group] as number)
    const divisor = this.#isMean ? this.#counts.of(group) : 1
    return Number.isNaN(sum)
      ? ((this.#reduced[group] as number) / divisor) * DIVISOR
      : sum / divisor
  }
}

/** No sum of numbers that are smaller becomes too large for a double. */
const SMALL = 2 ** 900

/** One number for each group, as in `DoubleSums`. */
type SumsState = Record<'absent' | 'sums' | 'lost' | 'special', Float64Array>

/** Adds values that need no look at each sum. */
function addSmall(
  chunk: Float64Array,
  present: Bits | undefined,
  { from, places, groups, count }: GroupedRows,
  { absent, sums, lost, special }: SumsState,
): void {
  for (let at = 0; at < count; at += 1) {
    const group = groups[at] as number
    if (present !== undefined && !hasBit(present, from + (places[at] as number))) {
      absent[group] = (absent[group] as number) + 1
      continue
    }
    const value = chunk[at] as number
    if (Number.isNaN(value)) {
      special[group] = value
      continue
    }
    const before = sums[group] as number
    const sum = before + value
    const added = sum - before
    lost[group] = (lost[group] as number) + (before - (sum - added) + (value - added))
    sums[group] = sum
  }
}

function addDoubles(
  chunk: Float64Array,
  present: Bits | undefined,
  { from, places, groups, count }: GroupedRows,
  { absent, sums, lost }: SumsState,
  addSlowly: (group: number, value: number) => void,
): void {
  for (let at = 0; at < count; at += 1) {
    const group = groups[at] as number
    if (present !== undefined && !hasBit(present, from + (places[at] as number))) {
      absent[group] = (absent[group] as number) + 1
      continue
    }
    const value = chunk[at] as number
    const before = sums[group] as number
    const sum = before + value
    // Also if one of them is NaN.
    if (!(Math.abs(sum) < Number.MAX_VALUE)) {
      addSlowly(group, value)
      continue
    }
    const added = sum - before
    lost[group] = (lost[group] as number) + (before - (sum - added) + (value - added))
    sums[group] = sum
  }
}

const DIVISOR = 2 ** 64

/** NaN is larger than every number. */
export function compareNumbers(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
  return a < b ? -1 : Number(a > b)
}
