/**
 * An object with many array elements: they are written in several steps, before its row. No reader
 * finds elements without a row.
 */

import type { StagedRecord } from '../../core/tables/construction.ts'
import { removeFromIndexes } from '../catalogue/object-table.ts'
import type { PutMessage } from '../changes/change-message.ts'
import type { TimeSlice } from '../file/time-slice.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import type { ChangeWriter } from '../writes/change-writer.ts'
import { savePendingRow } from '../writes/staged-record.ts'

/** Array elements that are written together. */
const ELEMENTS = 1000

/** Where elements are written. */
interface ElementTarget {
  readonly db: WriterDatabase
  readonly record: StagedRecord
}

export class PendingRow {
  #row: number | undefined
  /** The number of its elements that are written. */
  #written = 0

  /**
   * Writes elements of an object until the step must end. Returns undefined if some are left, and
   * otherwise the row that has them; without a number if they are few, and not written yet.
   */
  write(
    { db, writer, record }: ElementTarget & { readonly writer: ChangeWriter },
    put: PutMessage,
    slice: TimeSlice,
  ): { readonly row: number | undefined } | undefined {
    const elements = put[6].reduce((sum, [, , values]) => sum + values.length, 0)
    if (elements <= ELEMENTS) return { row: undefined }
    if (this.#row === undefined) {
      this.#row = writer.reserveRow()
      savePendingRow(db, record, this.#row)
    }
    while (this.#written < elements) {
      this.#written = writer.addElements(put, this.#row, this.#written, ELEMENTS)
      if (slice.isOver(0)) return undefined
    }
    return { row: this.#row }
  }

  /** Notes that the row was added. */
  end({ db, record }: ElementTarget): void {
    if (this.#row === undefined) return
    savePendingRow(db, record, undefined)
    this.#row = undefined
    this.#written = 0
  }

  /** Removes the elements of a row that is not added after all. */
  drop(target: ElementTarget): void {
    if (this.#row === undefined) return
    removeFromIndexes(target.db, [this.#row])
    this.end(target)
  }
}
