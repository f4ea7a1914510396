/**
 * The rows that were added to a table since its base. Each catch-up makes a segment; neighbours of a
 * similar size are merged, so there are few segments, and a row is rarely built again.
 */
import type { ClosedRow, FeedRow } from '../feed/column-feed.ts'
import { SegmentBuilder } from '../segment/build-segment.ts'
import type { ColumnSpec } from '../segment/column.ts'
import { Segment } from '../segment/segment.ts'
import { ClosingList } from './closed-rows.ts'
import type { SharedSegment, TableAt } from './shared-segment.ts'

export interface Changes {
  readonly added: readonly FeedRow[]
  readonly closed: readonly ClosedRow[]
}

/** Larger segments are not merged, and their rows are not kept. */
const MERGED_ROWS_MAX = 8192

interface KeptRows {
  readonly rows: readonly FeedRow[]
  readonly closed: ClosedRow[]
  /** The memory of the rows. */
  readonly bytes: number
}

interface AddedSegment {
  readonly shared: SharedSegment & { readonly image: SharedArrayBuffer }
  readonly segment: Segment
  readonly closings: ClosingList
  /** Undefined if the segment is too large to be merged. */
  readonly kept: KeptRows | undefined
}

export class AddedRows {
  readonly #specs: readonly ColumnSpec[]
  readonly #nextId: () => number
  #added: readonly AddedSegment[] = []

  constructor(specs: readonly ColumnSpec[], nextId: () => number) {
    this.#specs = specs
    this.#nextId = nextId
  }

  get size(): number {
    return this.#added.reduce((sum, { segment }) => sum + segment.size, 0)
  }

  get bytes(): number {
    return this.#added.reduce((sum, { shared, closings, kept }) => {
      return sum + shared.image.byteLength + closings.bytes + (kept?.bytes ?? 0)
    }, 0)
  }

  get shared(): readonly SharedSegment[] {
    return this.#added.map(({ shared }) => shared)
  }

  get segments(): TableAt['segments'] {
    return this.#added.map(({ shared, closings }) => ({
      id: shared.id,
      closings: closings.current,
    }))
  }

  add(rows: readonly FeedRow[]): void {
    if (rows.length === 0) return
    let size = rows.length
    let first = this.#added.length
    while (first > 0) {
      const before = this.#added[first - 1]?.segment.size ?? 0
      if (before > 2 * size || before + size > MERGED_ROWS_MAX) break
      size += before
      first -= 1
    }
    const merged = this.#added.slice(first).flatMap(({ kept }) => kept ?? [])
    const added = this.#build([...merged.flatMap((one) => one.rows), ...rows])
    this.#added = [...this.#added.slice(0, first), added]
    const closed = merged.flatMap((one) => one.closed).sort((a, b) => a.validTo - b.validTo)
    for (const row of closed) this.close(row)
  }

  /** Returns false if no segment has the row. */
  close(row: ClosedRow): boolean {
    for (const { segment, closings, kept } of this.#added) {
      const position = segment.find(row.key, row.validFrom)
      if (position === undefined) continue
      closings.add(position, row.validTo)
      kept?.closed.push(row)
      return true
    }
    return false
  }

  #build(rows: readonly FeedRow[]): AddedSegment {
    const builder = new SegmentBuilder(this.#specs, { kind: 'rows', rows: rows.length })
    const encoded = rows.map((row) => ({ ...row, bytes: Buffer.from(row.key) }))
    encoded.sort((a, b) => Buffer.compare(a.bytes, b.bytes) || a.validFrom - b.validFrom)
    for (const { key, validFrom, values } of encoded) {
      builder.add({ key, validFrom, values })
    }
    const { buffer, place } = builder.finish()
    const shared = { id: this.#nextId(), place, image: buffer }
    const isKept = rows.length < MERGED_ROWS_MAX
    const bytes = isKept ? rows.reduce((sum, row) => sum + bytesOfRow(row), 0) : 0
    const kept = isKept ? { rows, closed: [], bytes } : undefined
    const segment = new Segment(buffer, place)
    return { shared, segment, closings: new ClosingList(), kept }
  }
}

/** The memory of an object or an array without its members, and of a member. */
const OBJECT_BYTES = 64
const MEMBER_BYTES = 16

/** Estimates the memory of a row as a JavaScript object. */
export function bytesOfRow({ key, values }: FeedRow): number {
  return OBJECT_BYTES + sizeOf(key) + sizeOf(values)
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return MEMBER_BYTES + value.length
  if (!Array.isArray(value)) return MEMBER_BYTES
  return value.reduce((sum: number, one) => sum + sizeOf(one), OBJECT_BYTES)
}
