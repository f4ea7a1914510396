/** Background maintenance of a running service: reclaims row versions that no token can need. */
import type { ObjectStore, Retention } from '../store/object-store.ts'
import type { Log } from './log.ts'

/**
 * How much longer than the last token row versions are kept: covers requests that wait in a queue
 * after their token was accepted, and clock differences between nodes.
 */
const MARGIN_SECONDS = 60
/** Longer than a slow batch (up to five minutes) and the pauses of a client between batches. */
const MIN_IDLE_REPLACEMENT_SECONDS = 3600
const INTERVAL_MS = 60_000
const DAY_MS = 24 * 3_600_000

export interface MaintenanceOptions extends TokenLifetimes {
  readonly store: ObjectStore
  readonly now: () => number
  readonly log: Log
}

/** How long tokens, and the row versions they point to, can be used. */
export interface TokenLifetimes {
  readonly snapshotMaxAgeSeconds: number
  readonly pageTokenTtlSeconds: number
  readonly changesMaxAgeSeconds?: number
  readonly auditRetentionDays?: number
}

/** Returns how long a store must keep row versions so that no unexpired token is refused. */
export function retentionOf(lifetimes: TokenLifetimes, now: () => number): Retention {
  const { changesMaxAgeSeconds = 0, auditRetentionDays } = lifetimes
  const walkSeconds = Math.max(lifetimes.snapshotMaxAgeSeconds, lifetimes.pageTokenTtlSeconds)
  const rowVersionsSeconds = Math.max(walkSeconds, changesMaxAgeSeconds) + MARGIN_SECONDS
  const idleSeconds = Math.max(walkSeconds + MARGIN_SECONDS, MIN_IDLE_REPLACEMENT_SECONDS)
  return {
    now,
    rowVersionsMs: 1000 * rowVersionsSeconds,
    idleReplacementsMs: 1000 * idleSeconds,
    auditRecordsMs: auditRetentionDays === undefined ? undefined : DAY_MS * auditRetentionDays,
  }
}

/** Starts periodic maintenance; disposing stops it and waits for the current run. */
export function startMaintenance(options: MaintenanceOptions): AsyncDisposable {
  const retention = retentionOf(options, options.now)
  let run: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    run = run.then(() => reclaim(options, retention))
  }, INTERVAL_MS)
  timer.unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await run
    },
  }
}

async function reclaim({ store, log }: MaintenanceOptions, retention: Retention): Promise<void> {
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
