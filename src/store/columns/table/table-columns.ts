/**
 * The columns of one object table: a base with all objects of a version, segments with the rows that
 * were added since, and which rows were closed since. They are exact for every version from that of
 * the base to the one that they have caught up with.
 */
import type { ClosedRow, FeedTable } from '../feed/column-feed.ts'
import type { BuiltSegment } from '../segment/build-segment.ts'
import { Segment } from '../segment/segment.ts'
import { AddedRows, type Changes } from './added-rows.ts'
import { ClosingList } from './closed-rows.ts'
import type { SharedSegment, TableAt } from './shared-segment.ts'

/** The base of a table: several segments if it was built while many objects were loaded. */
export interface BaseSegments {
  readonly segments: readonly BuiltSegment[]
  readonly typeRid: string
  readonly source: FeedTable
  /** The generation of the definition that the columns were made by. */
  readonly generation: number
  readonly version: number
  readonly builtAtMs: number
}

/** Added and closed rows up to this share of the objects are kept apart from the base. */
const MAX_CHANGED_SHARE = 1 / 16
const MIN_CHANGED_ROWS = 50_000

interface OpenSegment {
  readonly shared: SharedSegment
  readonly segment: Segment
  readonly closings: ClosingList
}

export class TableColumns {
  readonly base: Omit<BaseSegments, 'segments'>
  /** The number of objects of the base. */
  readonly baseSize: number
  /** The generation of the definition that the columns fit. */
  generation: number
  readonly openedAt = performance.now()
  readonly #base: readonly OpenSegment[]
  readonly #added: AddedRows
  #seen: number

  constructor({ segments, ...base }: BaseSegments, nextId: () => number) {
    this.base = base
    this.#base = segments.map(({ buffer, place }) => ({
      shared: { id: nextId(), buffer, place },
      segment: new Segment(buffer, place),
      closings: new ClosingList(),
    }))
    this.baseSize = this.#base.reduce((sum, { segment }) => sum + segment.size, 0)
    this.#added = new AddedRows(base.source.specs, nextId)
    this.generation = base.generation
    this.#seen = base.version
  }

  /** The version that the columns have caught up with. */
  get seen(): number {
    return this.#seen
  }

  get bytes(): number {
    return this.#base.reduce(
      (sum, { shared, closings }) => sum + shared.buffer.byteLength + closings.bytes,
      this.#added.bytes,
    )
  }

  get shared(): readonly SharedSegment[] {
    return [...this.#base.map(({ shared }) => shared), ...this.#added.shared]
  }

  /** The rows that the next base would include. */
  get changedRows(): number {
    return this.#base.reduce((sum, { closings }) => sum + closings.count, this.#added.size)
  }

  /** True if enough rows have changed that a new base would make answers faster. */
  get needsNewBase(): boolean {
    return this.changedRows > Math.max(MIN_CHANGED_ROWS, this.baseSize * MAX_CHANGED_SHARE)
  }

  /** True if the columns can answer as of a version, once they have caught up with it. */
  reaches(version: number): boolean {
    return version >= this.base.version
  }

  /** Applies all changes after the version that was seen, up to another one. */
  apply({ added, closed }: Changes, until: number): void {
    this.#added.add(added)
    const later = closed.toSorted((a, b) => a.validTo - b.validTo)
    for (const row of later) {
      if (!this.#closeInBase(row) && !this.#added.close(row)) {
        throw new Error(`table ${this.base.source.table} has a closed row that was never added`)
      }
    }
    this.#seen = until
  }

  #closeInBase(row: ClosedRow): boolean {
    for (const { segment, closings } of this.#base) {
      const position = segment.find(row.key, row.validFrom)
      if (position === undefined) continue
      closings.add(position, row.validTo)
      return true
    }
    return false
  }

  /** Returns what answers as of a version need. */
  at(version: number, liveCount: number): TableAt {
    const base = this.#base.map(({ shared, closings }) => ({
      id: shared.id,
      closings: closings.current,
    }))
    return { version, liveCount, segments: [...base, ...this.#added.segments] }
  }
}
