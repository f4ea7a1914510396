/** What a metric knows about every group. */
import type { Column } from '../segment/column.ts'
import type { Selection } from '../segment/read-chunk.ts'

/** Rows with their groups. A row that belongs to several groups occurs several times. */
export interface GroupedRows extends Selection {
  readonly groups: Int32Array
  /** All groups so far are smaller than this. */
  readonly groupsEnd: number
}

export type AddRows = (rows: GroupedRows) => void

export interface Accumulator {
  /** Makes room for this many groups. */
  reserve(groups: number): void
  /** Returns how the rows of a segment are added; undefined if its column cannot answer. */
  columnAdder(column: Column): AddRows | undefined
  /** Called after all rows of a segment. */
  endSegment?(): void
  /** Called after all segments, with the number of rows in each group. */
  finish?(rows: Float64Array): void
  /** Returns the value of a group as JSON text, or undefined if it has none. */
  json(group: number): string | undefined
  /** Orders two groups with values. */
  compare(a: number, b: number): number
}

/** Returns an array with room for more groups. */
export function larger<A extends Float64Array | Int32Array | Uint8Array>(
  array: A,
  groups: number,
): A {
  if (groups <= array.length) return array
  const Constructor = array.constructor as new (length: number) => A
  const copy = new Constructor(Math.max(groups, array.length * 2))
  copy.set(array)
  return copy
}
