/**
 * Reads the values of a chunk into arrays of one type, whatever the width of the column: loops over
 * arrays of several types are many times slower than this copy.
 */
import { CHUNK } from '../image/bits.ts'
import type { NumberArray } from '../image/image.ts'
import type { NumberColumn } from './column.ts'

export const wholeChunk = () => new Int32Array(CHUNK)
export const doubleChunk = () => new Float64Array(CHUNK)

/** Copies whole numbers of at most 32 bits. */
export function readWholes(values: NumberArray, from: number, to: number, out: Int32Array): void {
  out.set(values.subarray(from, to))
}

export function readDoubles(
  values: NumberArray,
  from: number,
  to: number,
  out: Float64Array,
): void {
  out.set(values.subarray(from, to))
}

/** True if `readWholes` can read a column. */
export function isWhole({ values }: NumberColumn): boolean {
  return !(values instanceof Float64Array || values instanceof Uint32Array)
}
