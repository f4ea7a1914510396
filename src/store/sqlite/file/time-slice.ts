/** How long a step of a long write runs before others get their turn. */
import type { StagedRecord } from '../../core/tables/construction.ts'
import type { Commit } from '../../object-store.ts'

/** A step ends after this long. The commit of what it wrote then takes about half as long. */
const MAX_MS = 400
/** The same while others write too, who wait for that commit. */
const SHARED_MAX_MS = 5
/** A step runs at least this long, so that it gets on although each has a commit of its own. */
const MIN_MS = 2

export interface SliceOptions {
  /** The number of writes that wait or run, which the main thread updates. */
  readonly pending?: Int32Array | undefined
  /** Whether others have written recently. */
  readonly isShared?: boolean
  /** The number of changes after which a step ends in any case. */
  readonly maxChanges?: number | undefined
}

/** The time of one step. */
export interface TimeSlice {
  /** Counts changes, and returns whether the step must end. */
  readonly isOver: (changes?: number) => boolean
}

/** Starts a slice, which ends early if another write waits. */
export function startSlice(options: SliceOptions = {}): TimeSlice {
  const { pending, isShared = false, maxChanges = Infinity } = options
  const maxMs = isShared ? SHARED_MAX_MS : MAX_MS
  const started = performance.now()
  let counted = 0
  return {
    isOver: (changes = 1) => {
      counted += changes
      if (counted >= maxChanges) return true
      const ms = performance.now() - started
      if (ms >= maxMs) return true
      return ms >= MIN_MS && pending !== undefined && Atomics.load(pending, 0) > 1
    },
  }
}

/** What a step of a staged write has done; undefined if it is not complete yet. */
export type StepOutcome =
  | { readonly commit: Commit }
  /** Another staged write must be completed or undone first. */
  | { readonly blockedBy: StagedRecord }
  /** The objects were replaced, so that those to delete must be found again. */
  | 'outdated'
  | undefined

export interface StagedWrite<Database> {
  /** Runs one step within a transaction. If it throws, the write must be undone. */
  readonly step: (db: Database, slice: TimeSlice) => StepOutcome
  /** Frees the memory of what is written. */
  readonly free: () => void
}
