/** Tells which group each selected row of a chunk belongs to. */
import { CHUNK } from '../arrays/bits.ts'
import type { Selection } from '../segment/read-chunk.ts'
import type { GroupedRows } from './accumulator.ts'
import type { Coder } from './group-codes.ts'
import type { PairTable } from './pair-table.ts'

/** Finds the group of each selected row of a segment, from the codes of its keys. */
export class Grouper {
  readonly #coders: readonly Coder[]
  readonly #levels: readonly PairTable[]
  #places = new Int32Array()
  readonly #groups: Int32Array[] = []

  constructor(coders: readonly Coder[], levels: readonly PairTable[]) {
    this.#coders = coders
    this.#levels = levels
  }

  /** Returns the rows that belong to a group. They are valid until the next call. */
  group(selection: Selection): GroupedRows {
    let rows: GroupedRows = { ...selection, groups: NO_GROUPS, groupsEnd: 1 }
    this.#coders.forEach((coder, index) => {
      const level = index === 0 ? undefined : this.#levels[index - 1]
      rows =
        coder.kind === 'one'
          ? this.#groupOnce(coder, rows, level, index)
          : groupOften(coder, rows, level)
    })
    return rows
  }

  #groupOnce(
    coder: Coder & { kind: 'one' },
    rows: GroupedRows,
    level: PairTable | undefined,
    index: number,
  ): GroupedRows {
    const codes = this.#groupsOf(index, rows.count)
    const bits = coder.read(rows, codes)
    const coded = bits < 0 ? this.#withoutUncoded(rows, codes) : rows
    if (level === undefined) {
      const largest = bits < 0 ? largestOf(codes, coded.count) : bits
      return { ...coded, groups: codes, groupsEnd: largest + 1 }
    }
    level.idsOf(coded.groups, codes, coded.count)
    return { ...coded, groups: codes, groupsEnd: level.size }
  }

  /** Rows that belong to several groups of an outer grouping can be more than a chunk. */
  #groupsOf(index: number, count: number): Int32Array {
    const known = this.#groups[index]
    if (known !== undefined && known.length >= count) return known
    const groups = new Int32Array(Math.max(count, 1024))
    this.#groups[index] = groups
    return groups
  }

  #withoutUncoded(rows: GroupedRows, codes: Int32Array): GroupedRows {
    if (this.#places.length < rows.count) this.#places = new Int32Array(rows.count)
    const count = keepCoded(rows, codes, this.#places)
    return { ...rows, places: this.#places, count, gaps: undefined }
  }
}

/** The groups of rows without groupings: all are the first one. */
const NO_GROUPS = new Int32Array(CHUNK)

function largestOf(groups: Int32Array, count: number): number {
  let max = -1
  for (let at = 0; at < count; at += 1) {
    const group = groups[at] as number
    if (group > max) max = group
  }
  return max
}

/** Moves the rows with a code to the front, and returns their number. */
function keepCoded(
  { places, groups, count }: GroupedRows,
  codes: Int32Array,
  keptPlaces: Int32Array,
): number {
  let kept = 0
  for (let at = 0; at < count; at += 1) {
    const code = codes[at] as number
    if (code === -1) continue
    codes[kept] = code
    keptPlaces[kept] = places[at] as number
    // The groups of the outer groupings are not needed afterwards.
    groups[kept] = groups[at] as number
    kept += 1
  }
  return kept
}

function groupOften(
  coder: Coder & { kind: 'many' },
  rows: GroupedRows,
  level: PairTable | undefined,
): GroupedRows {
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
  const grouped = Int32Array.from(groups)
  return {
    ...rows,
    places: Int32Array.from(places),
    count,
    gaps: undefined,
    groups: grouped,
    groupsEnd: level?.size ?? largestOf(grouped, count) + 1,
  }
}
