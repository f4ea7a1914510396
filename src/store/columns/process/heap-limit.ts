/** Rows and texts of a segment are in the heap while it is built: more than its columns take. */
const HEAP_SHARE = 4
const MIN_HEAP_MB = 256
const MAX_HEAP_MB = 1024

/** Returns the heap, in megabytes, that a thread needs whose columns may take a number of bytes. */
export function heapLimitMb(maxBytes: number): number {
  const neededMb = Math.max(MIN_HEAP_MB, (HEAP_SHARE * maxBytes) / 1024 ** 2)
  return Math.round(Math.min(neededMb, MAX_HEAP_MB))
}
