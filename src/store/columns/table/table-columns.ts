/**
 * The columns of one object table: a base segment with all objects of a version, segments with the
 * rows that were added since, and which rows were closed since. They are exact for every version
 * from that of the base to the one that they have caught up with.
 */
import type { FeedTable } from '../feed/column-feed.ts'
import type { BuiltSegment } from '../segment/build-segment.ts'
import { Segment } from '../segment/segment.ts'
import { AddedRows, type Changes } from './added-rows.ts'
import { ClosingList } from './closed-rows.ts'
import type { SharedSegment, TableAt } from './shared-segment.ts'

export interface BaseSegment extends BuiltSegment {
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

export class TableColumns {
  readonly base: BaseSegment
  /** The generation of the definition that the columns fit. */
  generation: number
  readonly openedAt = performance.now()
  readonly #shared: SharedSegment
  readonly #segment: Segment
  readonly #closings = new ClosingList()
  readonly #added: AddedRows
  #seen: number

  constructor(base: BaseSegment, nextId: () => number) {
    this.base = base
    this.#shared = { id: nextId(), buffer: base.buffer, place: base.place }
    this.#segment = new Segment(base.buffer, base.place)
    this.#added = new AddedRows(base.source.specs, nextId)
    this.generation = base.generation
    this.#seen = base.version
  }

  /** The version that the columns have caught up with. */
  get seen(): number {
    return this.#seen
  }

  get bytes(): number {
    return this.base.buffer.byteLength + this.#closings.bytes + this.#added.bytes
  }

  get shared(): readonly SharedSegment[] {
    return [this.#shared, ...this.#added.shared]
  }

  /** The rows that the next base would include. */
  get changedRows(): number {
    return this.#added.size + this.#closings.count
  }

  /** True if enough rows have changed that a new base would make answers faster. */
  get needsNewBase(): boolean {
    const size = this.#segment.size
    return this.changedRows > Math.max(MIN_CHANGED_ROWS, size * MAX_CHANGED_SHARE)
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
      const position = this.#segment.find(row.key, row.validFrom)
      if (position !== undefined) this.#closings.add(position, row.validTo)
      else if (!this.#added.close(row)) {
        throw new Error(`table ${this.base.source.table} has a closed row that was never added`)
      }
    }
    this.#seen = until
  }

  /** Returns what answers as of a version need. */
  at(version: number, liveCount: number): TableAt {
    const base = { id: this.#shared.id, closings: this.#closings.current }
    return { version, liveCount, segments: [base, ...this.#added.segments] }
  }
}
