/**
 * Reads values of a chunk into arrays of one type, whatever the width of the column: loops over
 * arrays of several types are many times slower than this copy. The next call overwrites the array.
 */
import { CHUNK } from '../arrays/bits.ts'
import type { NumberArray } from '../arrays/shared-arrays.ts'
import type { NumberColumn } from './column.ts'

/** The rows of a chunk that a query selects. */
export interface Selection {
  /** The first position of the chunk, and the one after the last. */
  readonly from: number
  readonly to: number
  /** The selected positions, counted from the first one of the chunk. */
  readonly places: Int32Array
  readonly count: number
  /**
   * The positions that are not selected, if they are few: none if all rows are selected. Undefined if
   * they are many, or if a row occurs several times.
   */
  readonly gaps: Int32Array | undefined
}

const wholes = new Int32Array(CHUNK)
const doubles = new Float64Array(CHUNK)
const selectedWholes = new Int32Array(CHUNK)
const selectedDoubles = new Float64Array(CHUNK)

/** Copies whole numbers of at most 32 bits. */
export function readWholes(values: NumberArray, from: number, to: number): Int32Array {
  wholes.set(values.subarray(from, to))
  return wholes
}

export function readDoubles(values: NumberArray, from: number, to: number): Float64Array {
  doubles.set(values.subarray(from, to))
  return doubles
}

/** Copies the whole numbers of the selected rows, one after the other. */
export function selectWholes(values: NumberArray, selection: Selection): Int32Array {
  const { from, to, places, count, gaps } = selection
  const chunk = readWholes(values, from, to)
  if (gaps !== undefined) {
    closeWholes(chunk, gaps, to - from)
    return chunk
  }
  // Rows of several groups can be more than a chunk.
  const selected = count > CHUNK ? new Int32Array(count) : selectedWholes
  gatherWholes(chunk, places, count, selected)
  return selected
}

export function selectDoubles(values: NumberArray, selection: Selection): Float64Array {
  const { from, to, places, count, gaps } = selection
  const chunk = readDoubles(values, from, to)
  if (gaps !== undefined) {
    closeDoubles(chunk, gaps, to - from)
    return chunk
  }
  // Rows of several groups can be more than a chunk.
  const selected = count > CHUNK ? new Float64Array(count) : selectedDoubles
  gatherDoubles(chunk, places, count, selected)
  return selected
}

function gatherWholes(chunk: Int32Array, places: Int32Array, count: number, out: Int32Array): void {
  for (let at = 0; at < count; at += 1) out[at] = chunk[places[at] as number] as number
}

function gatherDoubles(
  chunk: Float64Array,
  places: Int32Array,
  count: number,
  out: Float64Array,
): void {
  for (let at = 0; at < count; at += 1) out[at] = chunk[places[at] as number] as number
}

/** Moves the rows between gaps together, which is faster than a look at the place of each row. */
function closeWholes(chunk: Int32Array, gaps: Int32Array, size: number): void {
  let end = gaps[0] ?? size
  for (let gap = 0; gap < gaps.length; gap += 1) {
    const next = gap + 1 < gaps.length ? (gaps[gap + 1] as number) : size
    for (let at = (gaps[gap] as number) + 1; at < next; at += 1) {
      chunk[end] = chunk[at] as number
      end += 1
    }
  }
}

function closeDoubles(chunk: Float64Array, gaps: Int32Array, size: number): void {
  let end = gaps[0] ?? size
  for (let gap = 0; gap < gaps.length; gap += 1) {
    const next = gap + 1 < gaps.length ? (gaps[gap + 1] as number) : size
    for (let at = (gaps[gap] as number) + 1; at < next; at += 1) {
      chunk[end] = chunk[at] as number
      end += 1
    }
  }
}

/** True if `readWholes` can read a column. */
export function isWhole({ values }: NumberColumn): boolean {
  return !(values instanceof Float64Array || values instanceof Uint32Array)
}
