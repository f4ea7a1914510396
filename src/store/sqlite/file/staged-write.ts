/** A staged write in the memory of the writer thread, see staged-record.ts. */
import type { StagedRecord } from '../../core/tables/construction.ts'
import type { Commit } from '../../object-store.ts'
import type { TimeSlice } from './time-slice.ts'

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
