/** Aggregates the rows of segments, one segment after the other. */
import { fieldKey } from '../../../ontology/values/searchable-values.ts'
import type { Aggregation, Grouping, Metric } from '../../../query/aggregation/aggregation.ts'
import { isLacking, type OwnNames, readField } from '../../../query/aggregation/read-field.ts'
import { andBits, type Bits, CHUNK, countBits, invertBits, listBits } from '../arrays/bits.ts'
import type { Filter } from '../filter/filter.ts'
import { absentColumn } from '../segment/absent-column.ts'
import type { Column } from '../segment/column.ts'
import type { Selection } from '../segment/read-chunk.ts'
import type { Segment } from '../segment/segment.ts'
import { type Accumulator, type AddRows, type GroupedRows, larger } from './accumulator.ts'
import type { Coder } from './group-codes.ts'
import { type GroupKeys, groupKeys } from './group-keys.ts'
import { Grouper } from './group-rows.ts'
import { accumulator } from './metric.ts'
import { PairTable } from './pair-table.ts'
import { type FoundGroup, type FoundGroups, sortGroups } from './sort-groups.ts'

/** A segment, and which of its rows are aggregated. */
export interface FilteredSegment {
  readonly segment: Segment
  readonly visible: Bits
  readonly filter: Filter
  /** The names of properties that differ in its type, as in `AggregateSource`. */
  readonly names?: OwnNames
}

export class Aggregator {
  readonly #aggregation: Aggregation
  readonly #keys: readonly GroupKeys[]
  /** The groups of each grouping but the first, each in a group of the one before. */
  readonly #levels: readonly PairTable[]
  readonly #accumulators: readonly (Accumulator | 'count')[]
  /** Whether the values of a field are numbers or texts: large numbers are texts in some segments. */
  readonly #forms = new Map<string, Column['kind']>()
  #counts = new Float64Array(1)

  constructor(aggregation: Aggregation) {
    this.#aggregation = aggregation
    this.#keys = aggregation.groupings.map(groupKeys)
    this.#levels = aggregation.groupings.slice(1).map(() => new PairTable())
    this.#accumulators = aggregation.metrics.map((metric) =>
      metric.kind === 'count' ? 'count' : accumulator(metric),
    )
  }

  /**
   * Adds the rows of a segment. Returns false if its columns cannot answer; then nothing was added.
   * `onChunk` is called often, and may throw.
   */
  add(filtered: FilteredSegment, onChunk: () => void): boolean {
    const { segment, names } = filtered
    const { groupings, metrics } = this.#aggregation
    const columnOf = (aggregated: Aggregated) => {
      const field = readField(aggregated, names)
      const form = this.#forms.get(formKey(aggregated))
      const column = isLacking(field)
        ? absentColumn(aggregated, segment.size, form)
        : segment.column(field)
      return this.#inSameForm(aggregated, column)
    }
    const coders = this.#keys.map(({ coderOf }, index) => {
      const column = columnOf(groupings[index] as Aggregated)
      return column && coderOf(column)
    })
    const adders = this.#accumulators.map((one, index) => {
      if (one === 'count') return undefined
      const column = columnOf(metrics[index] as Aggregated)
      return column === undefined ? 'unknown' : (one.columnAdder(column) ?? 'unknown')
    })
    if (!areDefined(coders) || adders.includes('unknown')) return false
    this.#addRows(
      filtered,
      coders,
      adders.filter((one) => typeof one === 'function'),
      onChunk,
    )
    for (const one of this.#accumulators) if (one !== 'count') one.endSegment?.()
    return true
  }

  /** Returns undefined if the column has another form than that of an earlier segment. */
  #inSameForm(aggregated: Aggregated, column: Column | undefined): Column | undefined {
    const key = formKey(aggregated)
    const form = column?.kind === 'list' ? column.values.kind : column?.kind
    const known = this.#forms.get(key) ?? form
    if (known !== undefined) this.#forms.set(key, known)
    return known === form ? column : undefined
  }

  #addRows(
    filtered: FilteredSegment,
    coders: readonly Coder[],
    adders: readonly AddRows[],
    onChunk: () => void,
  ): void {
    const isGrouped = coders.length > 0
    const isCountOnly = !isGrouped && adders.length === 0
    const grouper = new Grouper(coders, this.#levels)
    for (const selection of selections(filtered, isCountOnly)) {
      onChunk()
      if (!isGrouped) this.#counts[0] = (this.#counts[0] as number) + selection.count
      if (isCountOnly) continue
      const rows = grouper.group(selection)
      this.#counts = larger(this.#counts, rows.groupsEnd)
      if (isGrouped) countGroups(rows, this.#counts)
      for (const one of this.#accumulators) if (one !== 'count') one.reserve(rows.groupsEnd)
      for (const add of adders) add(rows)
    }
  }

  finish(): FoundGroups {
    for (const one of this.#accumulators) {
      if (one === 'count') continue
      one.reserve(this.#counts.length)
      one.finish?.(this.#counts)
    }
    return sortGroups(this.#foundGroups(), {
      ...this.#aggregation,
      keys: this.#keys,
      accumulators: this.#accumulators,
    })
  }

  *#foundGroups(): Generator<FoundGroup> {
    const isGrouped = this.#keys.length > 0
    for (let group = 0; group < this.#counts.length; group += 1) {
      const count = this.#counts[group] as number
      if (count === 0 && (isGrouped || group > 0)) continue
      const codes = this.#codesOf(group)
      const isNone = this.#keys.some((keys, level) => keys.isNone?.(codes[level] as number))
      if (!isNone) yield { group, count, codes }
    }
  }

  #codesOf(group: number): number[] {
    if (this.#keys.length === 1) return [group]
    const codes: number[] = []
    let rest = group
    for (const level of this.#levels.toReversed()) {
      codes.unshift(level.secondOf(rest))
      rest = level.firstOf(rest)
    }
    return this.#keys.length === 0 ? [] : [rest, ...codes]
  }
}

type Aggregated = Grouping | Exclude<Metric, { kind: 'count' }>

function formKey(aggregated: Aggregated): string {
  return fieldKey(readField(aggregated, undefined))
}

function areDefined<T>(list: readonly (T | undefined)[]): list is readonly T[] {
  return list.every((one) => one !== undefined)
}

// Loops over rows are functions of their own, which the compiler optimizes after a few chunks.

function countGroups({ groups, count }: GroupedRows, counts: Float64Array): void {
  for (let at = 0; at < count; at += 1) {
    const group = groups[at] as number
    counts[group] = (counts[group] as number) + 1
  }
}

/** The places of a chunk of which all rows are selected. */
const ALL_PLACES = Int32Array.from({ length: CHUNK }, (_, place) => place)
const NO_GAPS = new Int32Array(0)
/** Up to this share of a chunk, gaps are closed one by one. */
const MAX_GAPS_SHARE = 1 / 8

/** Selects the visible matches chunk by chunk. If only counted, their places are unknown. */
export function* selections(
  { segment, visible, filter }: FilteredSegment,
  isCountOnly: boolean,
): Generator<Selection> {
  const bits = new Uint32Array(Math.min(CHUNK, segment.size + 31) >>> 5)
  const places = new Int32Array(Math.min(CHUNK, segment.size))
  const unselected = new Int32Array(Math.ceil(CHUNK * MAX_GAPS_SHARE) + 31)
  for (let from = 0; from < segment.size; from += CHUNK) {
    const to = Math.min(from + CHUNK, segment.size)
    const words = (to - from + 31) >>> 5
    filter(from, to, bits)
    andBits(bits, visible.subarray(from >>> 5), words)
    const count = countBits(bits, words)
    const missing = to - from - count
    if (missing === 0) yield { from, to, places: ALL_PLACES, count, gaps: NO_GAPS }
    else {
      if (!isCountOnly) listBits(bits, words, 0, places)
      const gaps =
        missing <= (to - from) * MAX_GAPS_SHARE ? unselected.subarray(0, missing) : undefined
      if (gaps !== undefined && !isCountOnly) {
        // The bits after the last row follow the gaps.
        invertBits(bits, words)
        listBits(bits, words, 0, unselected)
      }
      yield { from, to, places, count, gaps }
    }
  }
}
