/**
 * Gives way to readers and writers while columns are built: pauses after every few rows, and waits for
 * an import, but not without end. Pauses grow with the CPU time of the build: on a busy machine, it waits
 * for a core anyway.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ColumnFeed } from '../feed/column-feed.ts'

/**
 * The share of the time in which a build works. The priority of its thread keeps cores free for
 * others, but not the caches and the memory that they share, nor the database server.
 */
const WORKING_SHARE = 0.5
/** The share while an import is running for longer than a build waits. */
const IMPORTING_SHARE = 0.1
/**
 * How long a build works before it pauses. A request that wakes up meanwhile may wait so long for its
 * core: some schedulers let a thread finish its time slice, whatever its priority.
 */
const WORKING_MS = 1
/** How often the writes of others are looked at. */
const LOOK_MS = 1000
/** With more rows per second than this, an import is running. */
const IMPORTED_PER_SECOND = 1000
/** How long a build waits for imports in all. A machine that stays busy must get its columns, too. */
const IMPORT_WAIT_MAX_MS = 60_000

export class BuildPace {
  readonly #feed: Pick<ColumnFeed, 'readWrites'>
  #startedAt = performance.now()
  #startedCpu = process.threadCpuUsage()
  #looked: { readonly at: number; readonly rows: number } | undefined
  #isImporting = false
  #waitedMs = 0

  constructor(feed: Pick<ColumnFeed, 'readWrites'>) {
    this.#feed = feed
  }

  /** Whether it is time to pause. */
  isDue(): boolean {
    const now = performance.now()
    if (now - this.#startedAt < WORKING_MS) return false
    // CPU time takes longer to read.
    this.#startedAt = now
    return this.#workedMs >= WORKING_MS
  }

  /** Pauses for as long as was worked since the last pause, and as the database worked meanwhile. */
  async pause(databaseMs = 0): Promise<void> {
    const share = this.#isImporting ? IMPORTING_SHARE : WORKING_SHARE
    await sleep(((this.#workedMs + databaseMs) * (1 - share)) / share)
    await this.#look()
    while (this.#isImporting && this.#waitedMs < IMPORT_WAIT_MAX_MS) {
      await sleep(LOOK_MS)
      this.#waitedMs += LOOK_MS
      await this.#look()
    }
    this.#startedAt = performance.now()
    this.#startedCpu = process.threadCpuUsage()
  }

  get #workedMs(): number {
    const { user, system } = process.threadCpuUsage(this.#startedCpu)
    return (user + system) / 1000
  }

  async #look(): Promise<void> {
    const before = this.#looked
    const at = performance.now()
    if (before !== undefined && at - before.at < LOOK_MS) return
    const { rows, isLoading } = await this.#feed.readWrites()
    this.#looked = { at, rows }
    const written = before === undefined ? 0 : rows - before.rows
    const seconds = (at - (before?.at ?? at)) / 1000
    this.#isImporting = isLoading || written > IMPORTED_PER_SECOND * seconds
  }
}
