import type { ObjectStore, Retention } from '../store/object-store.ts'
import type { Log } from './log.ts'

/** The work that a running service does by itself: reclaiming row versions nobody can ask for. */

/**
 * How much longer than the last token row versions live: for requests that come in time and wait
 * before they are read, and for nodes whose clocks differ.
 */
const MARGIN_SECONDS = 60
/**
 * A replacement is kept this long at least. A batch may take five minutes to arrive, and clients
 * pause between batches.
 */
const IDLE_REPLACEMENT_SECONDS = 3600
const PAUSE_MS = 60_000

export interface Housekeeping extends TokenLives {
  readonly store: ObjectStore
  readonly now: () => number
  readonly log: Log
}

/** How long tokens can be used, and with them the row versions that they point to. */
export interface TokenLives {
  readonly snapshotMaxAgeSeconds: number
  readonly pageTokenTtlSeconds: number
}

/** How long a store must keep row versions so that no token is refused before it expires. */
export function retentionOf(lives: TokenLives, now: () => number): Retention {
  const rowVersionsSeconds =
    Math.max(lives.snapshotMaxAgeSeconds, lives.pageTokenTtlSeconds) + MARGIN_SECONDS
  return {
    now,
    rowVersionsMs: 1000 * rowVersionsSeconds,
    idleReplacementsMs: 1000 * Math.max(rowVersionsSeconds, IDLE_REPLACEMENT_SECONDS),
  }
}

/** Starts the work; disposing ends it and waits for the step that is under way. */
export function startHousekeeping(work: Housekeeping): AsyncDisposable {
  const retention = retentionOf(work, work.now)
  let step: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    step = step.then(() => reclaim(work, retention))
  }, PAUSE_MS)
  timer.unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await step
    },
  }
}

async function reclaim({ store, log }: Housekeeping, retention: Retention): Promise<void> {
  const started = performance.now()
  try {
    const rows = await store.reclaim(retention)
    if (rows > 0) {
      log({ event: 'reclaimed', rows, durationMs: Math.round(performance.now() - started) })
    }
  } catch (error) {
    log({ event: 'reclaimFailed', error })
  }
}
