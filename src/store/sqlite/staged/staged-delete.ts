/** A deletion of many matches that is carried out in steps, see staged-record.ts. */

import type { StagedRecord } from '../../core/tables/construction.ts'
import type { StagedWrite, StepOutcome } from '../file/staged-write.ts'
import type { TimeSlice } from '../file/time-slice.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { openWrite, type SqliteTarget } from '../writes/commit-batch.ts'
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

/** Rows that are closed with one statement. */
const ROWS = 50

export class StagedDelete implements StagedWrite<WriterDatabase> {
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
