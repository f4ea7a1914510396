/** What a process does to keep a store healthy, as it crosses the port. */
import type { RewriteProgress } from '../rewrite.ts'
import type { StoreStatus } from '../store-status.ts'

export interface Maintenance extends AsyncDisposable {
  /** Throws if the database cannot be reached. */
  check(): Promise<void>

  /** Returns what the store holds and does, without reading objects. */
  readStatus(): Promise<StoreStatus>

  /**
   * Notes which versions are superseded, deletes what has outlived its retention or expired, and
   * returns the number of deleted rows. Called periodically: a version is kept from the first call
   * that sees it superseded.
   */
  reclaim(retention: Retention): Promise<number>

  /**
   * Runs one bounded step of rewriting a type: for a change of its definition, or because its tables
   * have an older layout. The objects are copied into a new table, which is then
   * published. Readers and writers never wait for more than a step. Everything is in the database:
   * another process can continue. Returns undefined if there is nothing to do now.
   */
  rewriteNext(): Promise<RewriteProgress | undefined>

  /**
   * Checks the checksums of all rows, and on SQLite the structure of all tables and indexes, at the
   * priority of slow queries. Throws if something is damaged; on SQLite, damage is reported as if a
   * query had found it.
   */
  verify(signal: AbortSignal): Promise<Verified>
  /** Rejects every request from now on, because another process has found damage. SQLite only. */
  readonly reportDamage?: (cause: string) => void

  /**
   * Prepares for closing: rejects waiting slow queries at once, and running ones after the grace
   * period.
   */
  drain(reason: string, graceMs: number): void
}

/** What a verification has checked. */
export interface Verified {
  /** The number of row versions. */
  readonly rows: number
}

/** How long a store keeps superseded row versions and idle replacements. */
export interface Retention {
  /**
   * The clock, in milliseconds. A store reads the clock after the database, so everything it saw
   * there happened before that time, however long the database took to answer.
   */
  readonly now: () => number
  /** How long a row version is kept after it is superseded. */
  readonly rowVersionsMs: number
  /** An idle replacement expires after this long. */
  readonly idleReplacementsMs: number
  /** How long records of the audit log are kept; undefined keeps all of them. */
  readonly auditRecordsMs?: number | undefined
}
