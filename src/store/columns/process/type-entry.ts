/** What is known of the columns of a type. */
import type { ColumnsStatus } from '../../port/maintenance.ts'
import type { ColumnSegmentRecord } from '../feed/column-feed.ts'
import type { TableColumns } from '../table/table-columns.ts'

/** The pause after a build that failed; it doubles with each further one. */
const FIRST_RETRY_MS = 1000
/** The longest pause, and that after a build that did not fit. */
const LONGEST_RETRY_MS = 60_000
/** Columns that were used since are not evicted for others: both would be built again and again. */
export const IN_USE_MS = 60_000

export interface Entry {
  columns: TableColumns | undefined
  /** The record of the file from which the base can be read again. */
  record: ColumnSegmentRecord | undefined
  building: Promise<void> | undefined
  /** While the base is read from its file, which takes little time. */
  isReading: boolean
  /** While the columns catch up with many changes. */
  isBehind: boolean
  /** One catch-up at a time. */
  catchingUp: Promise<unknown>
  /** When the columns were last up to date. */
  caughtUpAt: number
  refused: { readonly reason: 'tooLarge' | 'failed'; readonly until: number } | undefined
  /** The builds that failed since the last one that succeeded. */
  failures: number
  /** The bytes of the last base; undefined before the first. */
  bytes: number | undefined
  /** When a question was last asked. */
  usedAt: number
  /** When the file was last marked as used. */
  touchedAt: number
}

export function newEntry(): Entry {
  return {
    columns: undefined,
    record: undefined,
    building: undefined,
    isReading: false,
    isBehind: false,
    catchingUp: Promise.resolve(),
    caughtUpAt: -Infinity,
    refused: undefined,
    failures: 0,
    bytes: undefined,
    usedAt: -Infinity,
    touchedAt: -Infinity,
  }
}

/** Pauses for long, because what does not fit will probably not fit in a minute either. */
export function refuseTooLarge(entry: Entry): void {
  entry.refused = { reason: 'tooLarge', until: performance.now() + LONGEST_RETRY_MS }
}

/** Pauses for a moment first: what made a build fail is often over, such as a changed definition. */
export function refuseFailed(entry: Entry): void {
  const pauseMs = Math.min(FIRST_RETRY_MS * 2 ** entry.failures, LONGEST_RETRY_MS)
  entry.failures += 1
  entry.refused = { reason: 'failed', until: performance.now() + pauseMs }
}

/** True if the columns need not catch up yet, because nobody asks for them. */
export function mayLag({ columns, usedAt, caughtUpAt }: Entry, maxLagMs: number): boolean {
  const now = performance.now()
  return columns !== undefined && now - usedAt > IN_USE_MS && now - caughtUpAt < maxLagMs
}

/** Returns what the status of the service says about the columns of a type. */
export function statusOf({
  columns,
  building,
  refused,
}: Entry): Omit<ColumnsStatus['types'][number], 'typeRid'> {
  const missing = building === undefined ? (refused?.reason ?? 'building') : 'building'
  return {
    state: columns === undefined ? missing : 'ready',
    objects: columns?.baseSize ?? 0,
    bytes: columns?.bytes ?? 0,
    version: columns?.seen ?? 0,
    builtAtMs: columns?.base.builtAtMs,
  }
}
