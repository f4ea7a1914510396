/** Lets pages go first where all cores are busy: writing and slow queries get a smaller share. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** A third of the share that the main thread has. */
const NICENESS = 5

export function lowerProcessPriority(pid: number | undefined): void {
  if (pid !== undefined) lower(() => pid)
}

/** For this thread alone. Linux counts the share of each thread, and gives it a number. */
export function lowerThreadPriority(): void {
  lower(() => Number(readlinkSync('/proc/thread-self').split('/').at(-1)))
}

function lower(id: () => number): void {
  try {
    setPriority(id(), NICENESS)
  } catch {
    // Without it, background work only takes a larger share.
  }
}
