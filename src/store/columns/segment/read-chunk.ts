/**
 * Reads the values of a chunk into arrays of one type, whatever the width of the column: loops over
 * arrays of several types are many times slower than this copy. The next call overwrites the array.
 */
import { CHUNK } from '../image/bits.ts'
import type { NumberArray } from '../image/image.ts'
import type { NumberColumn } from './column.ts'

const wholes = new Int32Array(CHUNK)
const doubles = new Float64Array(CHUNK)

/** Copies whole numbers of at most 32 bits. */
export function readWholes(values: NumberArray, from: number, to: number): Int32Array {
  wholes.set(values.subarray(from, to))
  return wholes
}

export function readDoubles(values: NumberArray, from: number, to: number): Float64Array {
  doubles.set(values.subarray(from, to))
  return doubles
}

/** True if `readWholes` can read a column. */
export function isWhole({ values }: NumberColumn): boolean {
  return !(values instanceof Float64Array || values instanceof Uint32Array)
}
