/** Merges the rows that were found in several segments into one order. */
import type { Segment } from '../segment/segment.ts'
import { compareTexts, compareValues, type LocalTerm, type OrderValue } from './local-order.ts'

/** Rows of a segment, in the order of the page. */
export interface SortedRows {
  readonly part: number
  readonly segment: Segment
  readonly positions: readonly number[]
  readonly terms: readonly LocalTerm[]
}

/** A row of a page: the index of its part, its key, and the version that added it. */
export interface MergedRow {
  readonly part: number
  readonly key: string
  readonly validFrom: number
}

/** Returns the first rows of the lists: by values, then by part, then by key. */
export function mergeRows(
  lists: readonly SortedRows[],
  keySign: 1 | -1,
  limit: number,
): readonly MergedRow[] {
  const [only, ...others] = lists
  if (only === undefined) return []
  if (others.length === 0) {
    const { part, segment, positions } = only
    return positions.map((position) => ({
      part,
      key: segment.keys.at(position),
      validFrom: segment.validFrom(position),
    }))
  }
  const heads = lists.map((list) => new ListHead(list))
  const rows: MergedRow[] = []
  while (rows.length < limit) {
    let first: ListHead | undefined
    for (const head of heads) {
      if (head.isEnd) continue
      if (first === undefined || compareHeads(head, first, keySign) < 0) first = head
    }
    if (first === undefined) break
    rows.push({ part: first.list.part, key: first.key, validFrom: first.validFrom })
    first.next()
  }
  return rows
}

/** The next row of a list, with what it is compared by. */
class ListHead {
  readonly list: SortedRows
  #at = -1
  #key: string | undefined
  values: readonly OrderValue[] = []

  constructor(list: SortedRows) {
    this.list = list
    this.next()
  }

  next(): void {
    this.#at += 1
    this.#key = undefined
    if (!this.isEnd) this.values = this.list.terms.map((term) => term.valueOf(this.#position))
  }

  get isEnd(): boolean {
    return this.#at === this.list.positions.length
  }

  get key(): string {
    this.#key ??= this.list.segment.keys.at(this.#position)
    return this.#key
  }

  get validFrom(): number {
    return this.list.segment.validFrom(this.#position)
  }

  get #position(): number {
    return this.list.positions[this.#at] as number
  }
}

function compareHeads(a: ListHead, b: ListHead, keySign: 1 | -1): number {
  for (const [index, term] of a.list.terms.entries()) {
    const difference = compareValues(term, a.values[index], b.values[index])
    if (difference !== 0) return difference
  }
  return a.list.part - b.list.part || keySign * compareTexts(a.key, b.key)
}
