/**
 * Rewrites types in the background, step by step, if their definition changes. Each step is followed by a
 * pause as long as the step, so that at most half of the time of the writer is taken.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { ObjectStore, RewriteProgress } from '../store/object-store.ts'
import { startBackgroundTask } from './background-task.ts'
import type { Log } from './log.ts'

export interface RewritingOptions {
  readonly store: ObjectStore
  readonly log: Log
}

/** How long to wait before looking again, if there is nothing to rewrite. */
const IDLE_MS = 1000
/** How long to wait after a step that failed, for example because the disk is full. */
const FAILED_MS = 60_000
const MIN_PAUSE_MS = 5

/** Starts rewriting; disposing stops it after the current step. */
export function startRewriting(options: RewritingOptions): AsyncDisposable {
  return startBackgroundTask((signal) => rewriteInTurns(options, signal))
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
      pauseMs = FAILED_MS
    }
    // Rejects when the service stops.
    await wait(pauseMs, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** Logs the start and the end of each rewrite, and its progress at every tenth of the objects. */
class RewriteReport {
  readonly #log: Log
  /** The RID of the type or, for a change, of the ontology. */
  #name: string | undefined
  #tenths = 0
  #startedAt = 0

  constructor(log: Log) {
    this.#log = log
  }

  add(progress: RewriteProgress): void {
    const { phase, objects, totalObjects, reason, ...names } = progress
    // The types of a change are published together.
    const name = progress.ontologyRid ?? progress.typeRid
    if (name !== this.#name) this.#start(progress, name)
    const durationMs = Math.round(performance.now() - this.#startedAt)
    switch (phase) {
      case 'published':
        this.#log({ event: 'rewritten', ...names, objects: totalObjects, durationMs })
        break
      case 'cancelled':
        this.#log({ event: 'rewriteCancelled', ...names, objects })
        break
      case 'failed':
        this.#log({ event: 'rewriteFailed', ...names, objects, reason })
        break
      default: {
        const tenths = Math.floor((10 * objects) / Math.max(1, totalObjects))
        if (tenths > this.#tenths) this.#log({ event: 'rewriting', ...progress })
        this.#tenths = tenths
        return
      }
    }
    this.#name = undefined
  }

  #start(progress: RewriteProgress, name: string): void {
    const { objects, totalObjects } = progress
    this.#name = name
    this.#startedAt = performance.now()
    this.#tenths = Math.floor((10 * objects) / Math.max(1, totalObjects))
    this.#log({ event: 'rewriting', ...progress })
  }
}
