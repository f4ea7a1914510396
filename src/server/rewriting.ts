/**
 * Rewrites types of an earlier layout in the background, step by step. Each step is followed by a
 * pause as long as the step, so that at most half of the writer's time is taken.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { ObjectStore, RewriteProgress } from '../store/object-store.ts'
import type { Log } from './log.ts'

export interface RewritingOptions {
  readonly store: ObjectStore
  readonly log: Log
}

/** How long to wait before looking again, if there is nothing to rewrite or a step failed. */
const IDLE_MS = 60_000
const MIN_PAUSE_MS = 5

/** Starts rewriting; disposing stops it after the current step. */
export function startRewriting(options: RewritingOptions): AsyncDisposable {
  const stop = new AbortController()
  const run = rewriteInTurns(options, stop.signal)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await run
    },
  }
}

async function rewriteInTurns(
  { store, log }: RewritingOptions,
  signal: AbortSignal,
): Promise<void> {
  const report = new RewriteReport(log)
  while (!signal.aborted) {
    const started = performance.now()
    let pauseMs = IDLE_MS
    try {
      const progress = await store.rewriteNext()
      if (progress !== undefined) {
        report.add(progress)
        pauseMs = Math.max(MIN_PAUSE_MS, performance.now() - started)
      }
    } catch (error) {
      log({ event: 'rewriteStepFailed', error })
    }
    // Rejects when the service stops.
    await wait(pauseMs, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** Logs the start and the end of each rewrite, and its progress at every tenth of the objects. */
class RewriteReport {
  readonly #log: Log
  #typeRid: string | undefined
  #tenths = 0
  #startedAt = 0

  constructor(log: Log) {
    this.#log = log
  }

  add(progress: RewriteProgress): void {
    const { typeRid, phase, objects, totalObjects, reason } = progress
    if (typeRid !== this.#typeRid) this.#start(progress)
    const durationMs = Math.round(performance.now() - this.#startedAt)
    switch (phase) {
      case 'published':
        this.#log({ event: 'rewritten', typeRid, objects: totalObjects, durationMs })
        break
      case 'cancelled':
        this.#log({ event: 'rewriteCancelled', typeRid, objects })
        break
      case 'failed':
        this.#log({ event: 'rewriteFailed', typeRid, objects, reason })
        break
      default: {
        const tenths = Math.floor((10 * objects) / Math.max(1, totalObjects))
        if (tenths > this.#tenths) this.#log({ event: 'rewriting', ...progress })
        this.#tenths = tenths
        return
      }
    }
    this.#typeRid = undefined
  }

  #start(progress: RewriteProgress): void {
    const { typeRid, objects, totalObjects } = progress
    this.#typeRid = typeRid
    this.#startedAt = performance.now()
    this.#tenths = Math.floor((10 * objects) / Math.max(1, totalObjects))
    this.#log({ event: 'rewriting', ...progress })
  }
}
