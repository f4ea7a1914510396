/** Exact sums and means of groups, which are rounded once, when they are read. */
import { decodeDecimal } from '../../../ontology/values/column-value.ts'
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

/** A sum of `units / per`. */
export interface ExactSum {
  readonly units: bigint
  readonly per: bigint
}

/** An exact sum of a group, and the number of its values. */
export abstract class ExactSums implements Accumulator {
  readonly #isMean: boolean
  protected readonly counts = new ValueCounts()

  constructor(isMean: boolean) {
    this.#isMean = isMean
  }

  reserve(groups: number): void {
    this.counts.reserve(groups)
  }

  abstract columnAdder(column: Column): AddRows | undefined
  protected abstract sumOf(group: number): ExactSum

  finish(rows: Float64Array): void {
    this.counts.finish(rows)
  }

  json(group: number): string | undefined {
    return this.counts.of(group) === 0 ? undefined : doubleJson(this.valueOf(group))
  }

  /** Returns the value of a group. */
  protected valueOf(group: number): number {
    const { units, per } = this.sumOf(group)
    // The only rounding.
    return ratioToDouble(units, per * BigInt(this.divisorOf(group)))
  }

  /** Compares quotients without dividing. */
  compare(a: number, b: number): number {
    const [left, right] = [this.sumOf(a), this.sumOf(b)]
    const atA = left.units * right.per * BigInt(this.divisorOf(b))
    const atB = right.units * left.per * BigInt(this.divisorOf(a))
    return atA < atB ? -1 : Number(atA > atB)
  }

  protected divisorOf(group: number): number {
    return this.#isMean ? this.counts.of(group) : 1
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

  protected sumOf(group: number): ExactSum {
    const high = BigInt(this.#high[group] as number) * BigInt(HALF)
    return { units: high + BigInt(this.#low[group] as number), per: 1n }
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

  protected sumOf(group: number): ExactSum {
    return { units: this.#sums[group] ?? 0n, per: 10n ** BigInt(this.#scale) }
  }
}

/** NaN is larger than every number. */
export function compareNumbers(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
  return a < b ? -1 : Number(a > b)
}
