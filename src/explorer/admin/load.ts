import type { Status } from './admin-queries.ts'

/** The part of a status that the load follows from. */
export type Measured = Pick<Status, 'startedAt' | 'process'>

/**
 * Returns the share of time that the main thread worked between two answers, from 0 to 1; undefined
 * if they came from different processes.
 */
export function loadBetween(earlier: Measured, later: Measured): number | undefined {
  if (earlier.startedAt !== later.startedAt) return undefined
  const busy = later.process.busyMs - earlier.process.busyMs
  const total = busy + later.process.idleMs - earlier.process.idleMs
  return busy < 0 || total <= 0 ? undefined : Math.min(1, busy / total)
}
