/**
 * Verifies the store in the background, because queries notice only a part of the damage that a
 * failing disk can do. See docs/decisions/013-damaged-files.md.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { ObjectStore } from '../store/object-store.ts'
import { StoreDamage } from '../store/sqlite/file/store-failure.ts'
import { startBackgroundTask } from './background-task.ts'
import type { Log } from './log.ts'

export interface VerificationOptions {
  readonly store: ObjectStore
  readonly log: Log
  /** The shortest pause before each run. */
  readonly intervalMs?: number
}

const INTERVAL_MS = 3_600_000
/** The pause before the first run, so that a service that is restarted often verifies its store too. */
const FIRST_PAUSE_MS = 300_000
/** The pause after a run, in multiples of its duration: a large store takes a few percent of a core. */
const PAUSE_FACTOR = 20
/** Timers cannot be much longer. */
const MAX_PAUSE_MS = 14 * 24 * 3_600_000

/** Starts verification, if the store is a SQLite file; disposing stops it at once. */
export function startVerification(options: VerificationOptions): AsyncDisposable {
  return startBackgroundTask((signal) => verifyInTurns(options, signal))
}

async function verifyInTurns(
  { store, log, intervalMs = INTERVAL_MS }: VerificationOptions,
  signal: AbortSignal,
): Promise<void> {
  // Only SQLite: PostgreSQL can have checksums of its own, and its nodes would all read everything.
  if (store.reportDamage === undefined) return
  let pauseMs = Math.min(intervalMs, FIRST_PAUSE_MS)
  for (;;) {
    // Rejects when the service stops.
    await wait(pauseMs, undefined, { signal, ref: false }).catch(() => {})
    if (signal.aborted) return
    const started = performance.now()
    try {
      await store.verify(signal)
      log({ event: 'verified', durationMs: Math.round(performance.now() - started) })
    } catch (error) {
      // Damage lasts until the store is opened again, and is logged by the store.
      if (signal.aborted || error instanceof StoreDamage) return
      log({ event: 'verificationFailed', error })
    }
    const durationMs = performance.now() - started
    pauseMs = Math.min(MAX_PAUSE_MS, Math.max(intervalMs, PAUSE_FACTOR * durationMs))
  }
}
