import type { ObjectStore } from '../store/object-store.ts'
import type { Log } from './log.ts'

/** The work that a running service does by itself: reclaiming row versions nobody can ask for. */

/** How long a version outlives the last token that can point to it: slow requests, skewed clocks. */
const MARGIN_SECONDS = 60
const PAUSE_MS = 60_000

export interface Housekeeping {
  readonly store: ObjectStore
  readonly snapshotMaxAgeSeconds: number
  readonly pageTokenTtlSeconds: number
  readonly now: () => number
  readonly log: Log
}

/** Starts the work; disposing ends it and waits for the step that is under way. */
export function startHousekeeping(work: Housekeeping): AsyncDisposable {
  const keepMs =
    1000 * (Math.max(work.snapshotMaxAgeSeconds, work.pageTokenTtlSeconds) + MARGIN_SECONDS)
  let step: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    step = step.then(() => reclaim(work, keepMs))
  }, PAUSE_MS)
  timer.unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await step
    },
  }
}

async function reclaim({ store, now, log }: Housekeeping, keepMs: number): Promise<void> {
  const started = performance.now()
  try {
    const rows = await store.reclaim(now() - keepMs)
    if (rows > 0) {
      log({ event: 'reclaimed', rows, durationMs: Math.round(performance.now() - started) })
    }
  } catch (error) {
    log({ event: 'reclaimFailed', error })
  }
}
