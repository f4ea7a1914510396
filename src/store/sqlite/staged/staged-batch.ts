/** A batch that is written in steps, see staged-record.ts. */

import { AUDIT_KEYS_MAX } from '../../../contract/limits.ts'
import { deduplicateChanges } from '../../batch-rules.ts'
import { buildIndexes, createTable } from '../../core/catalogue/build-table.ts'
import { findUnindexed } from '../../core/catalogue/unindexed-fields.ts'
import { runNow } from '../../core/session/session.ts'
import type { StagedRecord } from '../../core/tables/construction.ts'
import type { UnindexedFields } from '../../sql/compile/field-numbers.ts'
import { buildingIn, rowRemover } from '../catalogue/object-table.ts'
import { findChange, isPut, keyOf, putOf, type ReceivedChange } from '../changes/encoded-rows.ts'
import type { StagedWrite, StepOutcome, TimeSlice } from '../file/time-slice.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { ChangeWriter, EFFECTS, noEffects, rowCloser, rowMarker } from '../writes/change-writer.ts'
import { noteChangedKeys } from '../writes/changed-keys.ts'
import {
  type BatchMessage,
  closeWrite,
  hasRowsBetween,
  isWritten,
  openWrite,
  type SqliteTarget,
  summarise,
} from '../writes/commit-batch.ts'
import {
  addStaged,
  countStep,
  hasStagedChanges,
  readStaged,
  removeStaged,
  stagedRetractor,
  takeStagedChanges,
} from '../writes/staged-record.ts'

export interface StagedBatchMessage extends BatchMessage {
  /** Identifies the write. */
  readonly owner: string
}

/** Keys of other commits that are looked at together. */
const NOTED_KEYS = 500
/** Objects of a load that show which fields need no index. */
const FIRST_OBJECTS = 5000
/** Instead of the number of an effect. */
const NOT_APPLIED = 255

export class StagedBatch implements StagedWrite<WriterDatabase> {
  readonly free: () => void
  readonly #batch: StagedBatchMessage
  /** In the order of the keys. */
  readonly #changes: readonly ReceivedChange[]
  /** What each change did, as an index of `EFFECTS`. */
  readonly #effects: Uint8Array
  #counts = noEffects()
  #maxRecordBytes = 0
  /** The number of applied changes. */
  #applied = 0
  /** Rows of a replacement that the batch has superseded. */
  #marked: number[] = []
  #mayExist = true
  #record: StagedRecord | undefined

  constructor(batch: StagedBatchMessage, changes: readonly ReceivedChange[], free: () => void) {
    this.#batch = batch
    this.#changes = deduplicateChanges(changes, keyOf, batch.keepsExisting)
    this.#effects = new Uint8Array(this.#changes.length).fill(NOT_APPLIED)
    this.free = free
  }

  step(db: WriterDatabase, slice: TimeSlice): StepOutcome {
    const { earlier, target } = openWrite(db, this.#batch)
    if (target === undefined) return { commit: earlier }
    if (!this.#isContinued(db, target)) {
      const other = readStaged(db, target.id)
      if (other !== undefined) return { blockedBy: other }
      this.#begin(db, target)
    }
    if (!this.#write(db, target, slice)) return undefined
    return this.#publish(db, target, this.#removeMarked(db, target, slice))
  }

  /**
   * False if the write has to start from the beginning: it is new, the objects were replaced, another
   * process has undone it, or its version was reached.
   */
  #isContinued(db: WriterDatabase, { id, lastVersion }: SqliteTarget): boolean {
    const record = this.#record
    if (record?.table !== id) return false
    const stored = readStaged(db, id)
    if (stored?.owner !== record.owner || stored.version !== record.version) return false
    return record.version < 0 || lastVersion < record.version
  }

  #begin(db: WriterDatabase, table: SqliteTarget): void {
    const { typeId, id, isLoading } = table
    // No version of a table that was replaced shows what was written to it.
    if (this.#record !== undefined) removeStaged(db, this.#record)
    if (!table.isCreated && this.#changes.some(isPut)) {
      const unindexed = isLoading ? this.#findUnindexed() : undefined
      runNow(createTable(buildingIn(db), { typeId, id }, unindexed))
      if (!isLoading) runNow(buildIndexes(buildingIn(db), { typeId, id }))
    }
    this.#effects.fill(NOT_APPLIED)
    this.#counts = noEffects()
    this.#applied = 0
    this.#marked = []
    this.#maxRecordBytes = 0
    this.#mayExist = table.liveCount > 0 && hasRowsBetween(db, id, this.#changes)
    this.#record = addStaged(db, {
      table: id,
      lastVersion: isLoading ? undefined : table.lastVersion,
      changes: this.#changes.length,
      owner: this.#batch.owner,
    })
  }

  /** Looks at the first objects of a load. */
  #findUnindexed(): UnindexedFields {
    const { fields, measures } = this.#batch.columns
    const measured = new Set(measures)
    const loaded = fields.map((field, index) => ({ ...field, isMeasured: measured.has(index) }))
    const puts = this.#changes.filter(isPut).slice(0, FIRST_OBJECTS).map(putOf)
    return findUnindexed(loaded, puts.length, (index) =>
      puts.map(([, , , , , values]) => values[index] ?? null),
    )
  }

  /** Applies changes until the step must end. Returns true if all of them are applied. */
  #write(db: WriterDatabase, table: SqliteTarget, slice: TimeSlice): boolean {
    const record = this.#record as StagedRecord
    // A table that is not created yet has nothing to delete.
    if (!table.isCreated && !this.#changes.some(isPut)) return true
    countStep(db, record)
    if (hasStagedChanges(db, table.id)) this.#mayExist = true
    const writer = this.#openWriter(db, table, record)
    let isOver = false
    while (!isOver && this.#applied < this.#changes.length) {
      this.#apply(writer, this.#applied)
      this.#applied += 1
      isOver = slice.isOver()
    }
    while (!isOver) {
      const keys = takeStagedChanges(db, table.id, NOTED_KEYS)
      if (keys.length === 0) break
      this.#applyAgain(db, writer, record, keys)
      isOver = slice.isOver(keys.length)
    }
    this.#maxRecordBytes = Math.max(this.#maxRecordBytes, writer.maxRecordBytes)
    writer.finish()
    return !isOver
  }

  #openWriter(
    db: WriterDatabase,
    { typeId, id, loadedAs, isLoading }: SqliteTarget,
    { version }: StagedRecord,
  ): ChangeWriter {
    const { keepsExisting, columns } = this.#batch
    return new ChangeWriter(db, {
      typeId,
      table: id,
      version: isLoading ? loadedAs : version,
      close: isLoading ? rowMarker(db, id, version, this.#marked) : rowCloser(db, id, version),
      keepsExisting,
      columns,
      mayExist: this.#mayExist,
    })
  }

  #apply(writer: ChangeWriter, index: number): void {
    const effect = writer.apply(this.#changes[index] as ReceivedChange)
    this.#effects[index] = EFFECTS.indexOf(effect)
    this.#counts[effect] += 1
  }

  /** Applies the changes of objects again that other commits have changed in between. */
  #applyAgain(
    db: WriterDatabase,
    writer: ChangeWriter,
    record: StagedRecord,
    keys: readonly string[],
  ): void {
    const retract = stagedRetractor(db, record)
    for (const pk of keys) {
      const index = findChange(this.#changes, pk)
      const earlier = index === undefined ? undefined : EFFECTS[this.#effects[index] ?? NOT_APPLIED]
      if (index === undefined || earlier === undefined) continue
      retract(pk)
      this.#counts[earlier] -= 1
      this.#apply(writer, index)
    }
  }

  /** Removes superseded rows of a replacement, and returns how many are left for reclaim. */
  #removeMarked(
    db: WriterDatabase,
    { id, isLoading }: SqliteTarget,
    slice: TimeSlice,
  ): number | undefined {
    if (!isLoading) return undefined
    // The table may not be created yet.
    if (this.#marked.length === 0) return 0
    const remove = rowRemover(db, id)
    for (const [index, row] of this.#marked.entries()) {
      remove(row)
      if (slice.isOver()) return this.#marked.length - index - 1
    }
    return 0
  }

  /** `closed` is given if it differs from the number of rows that the batch superseded. */
  #publish(db: WriterDatabase, target: SqliteTarget, closed: number | undefined): StepOutcome {
    const { version } = this.#record as StagedRecord
    const { typeId, id: table, isLoading, isRewriting } = target
    removeStaged(db, { table })
    const written = summarise(this.#counts, target, { maxRecordBytes: this.#maxRecordBytes })
    const isVisible = !isLoading && written.put + written.deleted > 0
    if (isVisible && isRewriting) noteChangedKeys(db, typeId, this.#changes.map(keyOf))
    const counts = { ...written, closed: closed ?? written.closed, keys: this.#firstKeys() }
    return { commit: closeWrite(db, this.#batch, { ...target, version }, counts) }
  }

  /** Returns the first keys that were written or deleted, as many as the audit log keeps. */
  #firstKeys(): readonly string[] {
    const keys: string[] = []
    for (const [index, change] of this.#changes.entries()) {
      if (keys.length === AUDIT_KEYS_MAX) break
      const effect = EFFECTS[this.#effects[index] ?? NOT_APPLIED]
      if (effect !== undefined && isWritten(effect)) keys.push(keyOf(change))
    }
    return keys
  }
}
