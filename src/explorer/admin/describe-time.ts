/** Times and durations as people say them. */
import type { StatusResponse } from '../../contract/status-response.ts'

const UNITS = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

/** Returns a time relative to now: "3 days ago", "in 2 hours", "just now". */
export function describeTime(time: string, nowMs: number): string {
  const distance = Date.parse(time) - nowMs
  for (const [unit, ms] of UNITS) {
    if (Math.abs(distance) >= ms) return RELATIVE.format(Math.round(distance / ms), unit)
  }
  return distance > 0 ? 'in less than a minute' : 'just now'
}

/** Returns a duration by its two largest units: "3 d 4 h". */
export function describeDuration(seconds: number): string {
  const days = Math.floor(seconds / 86_400)
  const hours = Math.floor((seconds % 86_400) / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  if (days > 0) return `${days} d ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}

/** Returns a time in full, in UTC, as a tooltip shows it. */
export function fullTime(time: string): string {
  return `${time.slice(0, 19).replace('T', ' ')} UTC`
}

/** The part of a status that the load follows from. */
export type Measured = Pick<StatusResponse, 'startedAt' | 'process'>

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
