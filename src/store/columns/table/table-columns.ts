/**
 * The columns of one object table: a base with all objects of a version, segments with the rows that
 * were added since, and which rows were closed since. They are exact for every version from that of
 * the base to the one that they have caught up with.
 */
import type { ClosedRow, FeedTable } from '../feed/column-feed.ts'
import { FileImage } from '../segment/file-image.ts'
import { type Part, partsOf, Segment, type SegmentPlace } from '../segment/segment.ts'
import { AddedRows, type Changes } from './added-rows.ts'
import { ClosingList } from './closed-rows.ts'
import type { SharedSegment, TableAt } from './shared-segment.ts'

/** The base of a table: several segments if it was built while many objects were loaded. */
export interface BaseSegments {
  readonly segments: readonly BaseSegment[]
  readonly typeRid: string
  readonly source: FeedTable
  /** The generation of the definition that the columns were made by. */
  readonly generation: number
  readonly version: number
  readonly builtAtMs: number
}

interface BaseSegment {
  readonly place: SegmentPlace
  readonly image: SharedArrayBuffer | FileImage
}

/** A segment of which only those arrays are in memory that questions need. */
export interface FiledSegment {
  readonly id: number
  readonly image: FileImage
  readonly segment: Segment
  /** The arrays of each part, by their offset. */
  readonly parts: ReadonlyMap<Part, readonly number[]>
}

/** Added and closed rows up to this share of the objects are kept apart from the base. */
const MAX_CHANGED_SHARE = 1 / 16
const MIN_CHANGED_ROWS = 50_000
/** What they may take of the memory for columns, because it cannot be evicted. */
const MAX_ADDED_SHARE = 1 / 8

interface OpenSegment {
  readonly shared: SharedSegment
  readonly segment: Segment
  readonly closings: ClosingList
}

export interface TableOptions {
  readonly nextId: () => number
  /** The memory for all columns. */
  readonly maxBytes: number
}

export class TableColumns {
  readonly base: Omit<BaseSegments, 'segments'>
  /** The number of objects of the base. */
  readonly baseSize: number
  /** The generation of the definition that the columns fit. */
  generation: number
  readonly openedAt = performance.now()
  /** The segments of the base, if they are in a file. */
  readonly filed: readonly FiledSegment[]
  readonly #maxBytes: number
  readonly #base: readonly OpenSegment[]
  readonly #added: AddedRows
  #seen: number

  constructor({ segments, ...base }: BaseSegments, { nextId, maxBytes }: TableOptions) {
    this.base = base
    this.#maxBytes = maxBytes
    const filed: FiledSegment[] = []
    this.#base = segments.map(({ image: from, place }) => {
      const id = nextId()
      const image = from instanceof FileImage ? from.arrays : from
      const segment = new Segment(image, place)
      if (from instanceof FileImage) {
        filed.push({ id, image: from, segment, parts: offsetsOfParts(place) })
      }
      return { shared: { id, place, image }, segment, closings: new ClosingList() }
    })
    this.filed = filed
    this.baseSize = this.#base.reduce((sum, { segment }) => sum + segment.size, 0)
    this.#added = new AddedRows(base.source.specs, nextId)
    this.generation = base.generation
    this.#seen = base.version
  }

  /** The version that the columns have caught up with. */
  get seen(): number {
    return this.#seen
  }

  /** The memory that cannot be evicted: of added and closed rows, and of a base without a file. */
  get fixedBytes(): number {
    return this.#base.reduce((sum, { shared: { image }, closings }) => {
      const imageBytes = image instanceof SharedArrayBuffer ? image.byteLength : 0
      return sum + imageBytes + closings.bytes
    }, this.#added.bytes)
  }

  get shared(): readonly SharedSegment[] {
    return [...this.#base.map(({ shared }) => shared), ...this.#added.shared]
  }

  get fileBytes(): number {
    return this.filed.reduce((sum, { image }) => sum + image.bytes, 0)
  }

  /** The rows that the next base would include. */
  get changedRows(): number {
    return this.#base.reduce((sum, { closings }) => sum + closings.count, this.#added.size)
  }

  /** True if so many rows have changed that a new base makes answers faster, or takes less memory. */
  get needsNewBase(): boolean {
    if (this.#added.bytes > this.#maxBytes * MAX_ADDED_SHARE) return true
    return this.changedRows > Math.max(MIN_CHANGED_ROWS, this.baseSize * MAX_CHANGED_SHARE)
  }

  /** True if the columns can answer as of a version, once they have caught up with it. */
  reaches(version: number): boolean {
    return version >= this.base.version
  }

  /**
   * Applies all changes after the version that was seen, up to another one. The keys and the versions of
   * the base must be in memory if rows were closed.
   */
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

function offsetsOfParts(place: SegmentPlace): FiledSegment['parts'] {
  const parts = [...partsOf(place)].map(([part, places]) => {
    const arrays = places.filter(({ length }) => length > 0)
    return [part, [...new Set(arrays.map(({ offset }) => offset))]] as const
  })
  return new Map(parts)
}
