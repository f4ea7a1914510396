/** The staged writes that the writer thread carries out, and their steps. */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { StagedRecord } from '../../core/tables/construction.ts'
import type { Commit } from '../../object-store.ts'
import type { ReceivedChange } from '../changes/encoded-rows.ts'
import { inTransaction } from '../file/connection.ts'
import {
  type SliceOptions,
  type StagedWrite,
  type StepOutcome,
  startSlice,
  type TimeSlice,
} from '../file/time-slice.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { applyBatch, openWrite, type SqliteTarget, TakesLong } from '../writes/commit-batch.ts'
import {
  closeFoundRows,
  closeMatches,
  type DeleteMessage,
  publishDeletion,
} from '../writes/delete-matches.ts'
import {
  addStaged,
  countStep,
  readStaged,
  removeStaged,
  takeStagedChanges,
} from '../writes/staged-record.ts'
import { StagedBatch, type StagedBatchMessage } from './staged-batch.ts'

/** Receives a batch, which `stageStep` then writes. */
function stageBatch(
  db: WriterDatabase,
  batch: StagedBatchMessage,
  changes: readonly ReceivedChange[],
  free: () => void,
): void {
  db.stagedWrites.set(batch.owner, new StagedBatch(batch, changes, free))
}

/** Receives the rows of a deletion, which `stageStep` then closes. */
export function stageDelete(
  db: WriterDatabase,
  message: DeleteMessage & { readonly owner: string },
): void {
  db.stagedWrites.set(message.owner, new StagedDelete(message))
}

export interface StepMessage extends SliceOptions {
  readonly owner: string
}

/** Runs the next step of a staged write in a transaction of its own. */
export function stageStep(db: WriterDatabase, { owner, ...options }: StepMessage): StepOutcome {
  const write = db.stagedWrites.get(owner)
  if (write === undefined) {
    const reason = 'the writer thread was restarted; nothing of this batch was written'
    throw new ObjectQueryError('ServiceUnavailable', { reason })
  }
  return db.withoutCheckpoint(() =>
    inTransaction(db, 'write', () => write.step(db, startSlice(options))),
  )
}

/** Forgets a staged write. What it has written is not undone. */
export function forgetStaged(db: WriterDatabase, owner: string): void {
  db.stagedWrites.get(owner)?.free()
  db.stagedWrites.delete(owner)
}

/** The largest length of a batch that is committed in one transaction: about 100 ms. */
const MAX_LENGTH = 500_000

export interface CommitMessage extends StagedBatchMessage {
  /** A batch with more changes is staged. */
  readonly maxChanges: number
}

/** Returns the commit, or undefined if the batch is staged, so that `stageStep` writes it. */
export function commitBatch(
  db: WriterDatabase,
  batch: CommitMessage,
  changes: readonly ReceivedChange[],
  free: () => void,
): Commit | undefined {
  // Batches of a replacement are written one after the other, which staged ones are.
  const isStaged = batch.replacement !== undefined || changes.length > batch.maxChanges
  try {
    if (!isStaged) {
      const commit = inTransaction(db, 'write', () => applyBatch(db, batch, changes, MAX_LENGTH))
      free()
      return commit
    }
  } catch (error) {
    if (!(error instanceof TakesLong)) {
      free()
      throw error
    }
  }
  stageBatch(db, batch, changes, free)
  return undefined
}

/** Rows that are closed with one statement. */
const ROWS = 50

class StagedDelete implements StagedWrite<WriterDatabase> {
  readonly #message: DeleteMessage & { readonly owner: string }
  #record: StagedRecord | undefined
  /** The number of found rows that are closed. */
  #closed = 0

  constructor(message: DeleteMessage & { readonly owner: string }) {
    this.#message = message
  }

  free(): void {}

  step(db: WriterDatabase, slice: TimeSlice): StepOutcome {
    const { found, owner } = this.#message
    const { earlier, target } = openWrite(db, this.#message)
    if (target === undefined) return { commit: earlier }
    if (target.id !== found.table) return 'outdated'
    const stored = readStaged(db, found.table)
    if (stored !== undefined && stored.owner !== owner) return { blockedBy: stored }
    // Another process has undone the write, or its version was reached.
    if (this.#record !== undefined && stored?.version !== this.#record.version) return 'outdated'
    if (this.#record !== undefined && target.lastVersion >= this.#record.version) return 'outdated'
    this.#record ??= this.#begin(db, target)
    countStep(db, this.#record)
    return this.#close(db, this.#record, slice)
      ? this.#publish(db, target, this.#record)
      : undefined
  }

  #begin(db: WriterDatabase, { lastVersion }: SqliteTarget): StagedRecord {
    const { found, owner } = this.#message
    const { table, rows, lastRow } = found
    const record = addStaged(db, { table, lastVersion, changes: rows.length, owner })
    // Matches that were written after those that were found; later ones are noted.
    closeMatches(db, this.#message, { version: record.version, sql: 'o.id > ?', value: lastRow })
    return record
  }

  /** Closes rows until the step must end. Returns true if none is left. */
  #close(db: WriterDatabase, { table, version }: StagedRecord, slice: TimeSlice): boolean {
    const { rows } = this.#message.found
    while (this.#closed < rows.length) {
      const to = Math.min(this.#closed + ROWS, rows.length)
      closeFoundRows(db, this.#message, { version, from: this.#closed, to })
      this.#closed = to
      if (slice.isOver(ROWS)) return false
    }
    for (;;) {
      const keys = takeStagedChanges(db, table, ROWS)
      if (keys.length === 0) return true
      const sql = 'o.pk IN (SELECT value FROM json_each(?))'
      closeMatches(db, this.#message, { version, sql, value: JSON.stringify(keys) })
      if (slice.isOver(keys.length)) return false
    }
  }

  #publish(db: WriterDatabase, target: SqliteTarget, record: StagedRecord): StepOutcome {
    removeStaged(db, record)
    const { version } = record
    return { commit: publishDeletion(db, this.#message, { ...target, version }) }
  }
}
