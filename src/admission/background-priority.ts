/** Lowers the priority of writes and slow queries, so that pages go first when all cores are busy. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Gives about a third of the CPU share of the main thread. */
const NICENESS = 5
/**
 * Gives about a tenth, to work for which at most one caller waits: parsing a large batch, building
 * columns.
 */
export const LOW_NICENESS = 10

export function lowerProcessPriority(pid: number | undefined): void {
  if (pid !== undefined) lower(() => pid)
}

/** Lowers the priority of the current thread only. Linux schedules threads by their own ID. */
export function lowerThreadPriority(niceness = NICENESS): void {
  lower(() => Number(readlinkSync('/proc/thread-self').split('/').at(-1)), niceness)
}

function lower(id: () => number, niceness = NICENESS): void {
  try {
    setPriority(id(), niceness)
  } catch {
    // Not essential: background work then takes a larger share.
  }
}
