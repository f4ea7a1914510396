/**
 * Gives way to readers and writers while columns are built: pauses after every few rows, and waits
 * while an import is running.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ColumnFeed } from '../feed/column-feed.ts'

/**
 * The share of the time in which a build works. The priority of its thread keeps cores free for
 * others, but not the caches and the memory that they share, nor the database server.
 */
const WORKING_SHARE = 0.5
/**
 * How long a build works before it pauses. A request that wakes up meanwhile may wait so long for its
 * core: some schedulers let a thread finish its time slice, whatever its priority.
 */
const WORKING_MS = 1
/** How often the writes of others are looked at. */
const LOOK_MS = 1000
/** With more rows per second than this, an import is running. */
const IMPORTED_PER_SECOND = 1000

export class BuildPace {
  readonly #feed: Pick<ColumnFeed, 'readWrites'>
  #startedAt = performance.now()
  #looked: { readonly at: number; readonly rows: number } | undefined

  constructor(feed: Pick<ColumnFeed, 'readWrites'>) {
    this.#feed = feed
  }

  /** Whether it is time to pause. */
  isDue(): boolean {
    return performance.now() - this.#startedAt >= WORKING_MS
  }

  /** Pauses for as long as was worked since the last pause. */
  async pause(): Promise<void> {
    const workedMs = performance.now() - this.#startedAt
    await sleep((workedMs * (1 - WORKING_SHARE)) / WORKING_SHARE)
    while (await this.#isImporting()) await sleep(LOOK_MS)
    this.#startedAt = performance.now()
  }

  async #isImporting(): Promise<boolean> {
    const before = this.#looked
    const at = performance.now()
    if (before !== undefined && at - before.at < LOOK_MS) return false
    const { rows, isLoading } = await this.#feed.readWrites()
    this.#looked = { at, rows }
    if (isLoading || before === undefined) return isLoading
    return rows - before.rows > (IMPORTED_PER_SECOND * (at - before.at)) / 1000
  }
}
