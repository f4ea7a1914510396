import { useMemo } from 'react'
import { keyText } from '../api/records.ts'
import type { Walk } from '../queries/walk.ts'

/** The longest key of a walk, and the pages that it was looked for in. */
interface Measured {
  length: number
  pages: number
}

/** Returns the length of the longest key on the pages that were read. A new page is measured once. */
export function useKeyLength(walk: Walk, pageCount: number): number {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another walk has other keys
  const measured = useMemo<Measured>(() => ({ length: 0, pages: 0 }), [walk])
  for (; measured.pages < pageCount; measured.pages += 1) {
    for (const { key } of walk.recordsOf(measured.pages)) {
      measured.length = Math.max(measured.length, keyText(key).length)
    }
  }
  return measured.length
}
