/** Aggregates the rows of segments, one segment after the other. */
import type { FieldId } from '../../../ontology/values/searchable-values.ts'
import type { Aggregation, Metric } from '../../../query/aggregation/aggregation.ts'
import type { Filter } from '../filter/filter.ts'
import { type Bits, CHUNK, countBits, listBits } from '../image/bits.ts'
import type { Segment } from '../segment/segment.ts'
import { type Accumulator, type AddRows, type GroupedRows, larger } from './accumulator.ts'
import type { Coder, Selection } from './coder.ts'
import { type GroupKeys, groupKeys } from './group-keys.ts'
import { accumulator } from './metric.ts'
import { PairTable } from './pair-table.ts'
import { type FoundGroup, type FoundGroups, sortGroups } from './sort-groups.ts'

/** A segment, and which of its rows are aggregated. */
export interface FilteredSegment {
  readonly segment: Segment
  readonly visible: Bits
  readonly filter: Filter
  /** The names of properties that differ in its type, as in `AggregateSource`. */
  readonly names?: ReadonlyMap<string, string> | undefined
}

export class Aggregator {
  readonly #aggregation: Aggregation
  readonly #keys: readonly GroupKeys[]
  /** The groups of each grouping but the first, each in a group of the one before. */
  readonly #levels: readonly PairTable[]
  readonly #accumulators: readonly (Accumulator | 'count')[]
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
    const columnOf = (aggregated: Aggregated) => segment.column(fieldOf(aggregated, names))
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

  #addRows(
    filtered: FilteredSegment,
    coders: readonly Coder[],
    adders: readonly AddRows[],
    onChunk: () => void,
  ): void {
    const isCountOnly = coders.length === 0 && adders.length === 0
    const grouper = new Grouper(coders, this.#levels)
    for (const selection of selections(filtered, isCountOnly)) {
      onChunk()
      if (isCountOnly) {
        this.#counts[0] = (this.#counts[0] as number) + selection.count
        continue
      }
      const rows = grouper.group(selection)
      this.#counts = larger(this.#counts, rows.groupsEnd)
      const counts = this.#counts
      for (let at = 0; at < rows.count; at += 1) {
        const group = rows.groups[at] as number
        counts[group] = (counts[group] as number) + 1
      }
      for (const one of this.#accumulators) if (one !== 'count') one.reserve(rows.groupsEnd)
      for (const add of adders) add(rows)
    }
  }

  finish(): FoundGroups {
    const { groupings } = this.#aggregation
    for (const one of this.#accumulators) if (one !== 'count') one.reserve(this.#counts.length)
    const groups: FoundGroup[] = []
    for (let group = 0; group < this.#counts.length; group += 1) {
      const count = this.#counts[group] as number
      if (count === 0 && (groupings.length > 0 || group > 0)) continue
      groups.push({ group, count, codes: this.#codesOf(group) })
    }
    return sortGroups(groups, {
      ...this.#aggregation,
      keys: this.#keys,
      accumulators: this.#accumulators,
    })
  }

  #codesOf(group: number): number[] {
    const codes: number[] = []
    let rest = group
    for (const level of this.#levels.toReversed()) {
      codes.unshift(level.secondOf(rest))
      rest = level.firstOf(rest)
    }
    return this.#keys.length === 0 ? [] : [rest, ...codes]
  }
}

type Aggregated = Pick<Exclude<Metric, { kind: 'count' }>, 'property' | 'field'>

export function fieldOf(
  { property: name, field }: Aggregated,
  names: ReadonlyMap<string, string> | undefined,
): FieldId {
  const { property: shown, structField } = field ?? { property: name, structField: undefined }
  return { property: names?.get(shown) ?? shown, structField }
}

function areDefined<T>(list: readonly (T | undefined)[]): list is readonly T[] {
  return list.every((one) => one !== undefined)
}

/** Selects the visible matches chunk by chunk. If only counted, their places are unknown. */
function* selections(
  { segment, visible, filter }: FilteredSegment,
  isCountOnly: boolean,
): Generator<Selection> {
  const bits = new Uint32Array(CHUNK >>> 5)
  const places = new Int32Array(CHUNK)
  for (let from = 0; from < segment.size; from += CHUNK) {
    const to = Math.min(from + CHUNK, segment.size)
    const words = (to - from + 31) >>> 5
    filter(from, to, bits)
    for (let word = 0; word < words; word += 1) {
      bits[word] = (bits[word] as number) & (visible[(from >>> 5) + word] as number)
    }
    const count = isCountOnly ? countBits(bits, words) : listBits(bits, words, 0, places)
    yield { from, to, places, count }
  }
}

/** Finds the group of each selected row of a segment, from the codes of its keys. */
class Grouper {
  readonly #coders: readonly Coder[]
  readonly #levels: readonly PairTable[]
  #codes = new Int32Array(CHUNK)
  #places = new Int32Array(CHUNK)
  #groups = new Int32Array(CHUNK)

  constructor(coders: readonly Coder[], levels: readonly PairTable[]) {
    this.#coders = coders
    this.#levels = levels
  }

  /** Returns the rows that belong to a group. They are valid until the next call. */
  group(selection: Selection): GroupedRows {
    this.#groups.fill(0, 0, selection.count)
    let rows: Rows = { ...selection, groups: this.#groups }
    let groupsEnd = 1
    this.#coders.forEach((coder, index) => {
      const level = index === 0 ? undefined : this.#levels[index - 1]
      rows =
        coder.kind === 'one' ? this.#groupOnce(coder, rows, level) : groupOften(coder, rows, level)
    })
    for (let at = 0; at < rows.count; at += 1) {
      const group = rows.groups[at] as number
      if (group >= groupsEnd) groupsEnd = group + 1
    }
    return { ...rows, groupsEnd }
  }

  #groupOnce(coder: Coder & { kind: 'one' }, rows: Rows, level: PairTable | undefined): Rows {
    const { count, places, groups } = rows
    this.#reserve(count)
    const codes = this.#codes
    coder.read(rows, codes)
    const [keptPlaces, keptGroups] = [this.#places, this.#groups]
    let kept = 0
    for (let at = 0; at < count; at += 1) {
      const code = codes[at] as number
      if (code === -1) continue
      keptPlaces[kept] = places[at] as number
      keptGroups[kept] = level === undefined ? code : level.idOf(groups[at] as number, code)
      kept += 1
    }
    return { ...rows, places: keptPlaces, groups: keptGroups, count: kept }
  }

  /** Rows that belong to several groups of an outer grouping can be more than a chunk. */
  #reserve(count: number): void {
    if (count <= this.#codes.length) return
    this.#codes = new Int32Array(count)
    this.#places = new Int32Array(count)
    this.#groups = new Int32Array(count)
  }
}

type Rows = Omit<GroupedRows, 'groupsEnd'>

function groupOften(
  coder: Coder & { kind: 'many' },
  rows: Rows,
  level: PairTable | undefined,
): Rows {
  const places: number[] = []
  const groups: number[] = []
  for (let at = 0; at < rows.count; at += 1) {
    const place = rows.places[at] as number
    const codes = coder.codesOf(rows.from + place)
    for (const code of typeof codes === 'number' ? [codes] : codes) {
      places.push(place)
      groups.push(level === undefined ? code : level.idOf(rows.groups[at] as number, code))
    }
  }
  const count = places.length
  return { ...rows, places: Int32Array.from(places), groups: Int32Array.from(groups), count }
}
