/** Applies changes to a table, one after the other, within a transaction. */
import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import type { PropertyColumns } from '../changes/change-message.ts'
import { isPut, keyOf, putOf, type ReceivedChange } from '../changes/encoded-rows.ts'
import { rowBytes } from '../file/row-texts.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { planOfChanges, RowWriter } from './write-row.ts'

/** What a change did to its object. */
export const EFFECTS = ['none', 'added', 'replaced', 'deleted', 'kept'] as const
export type Effect = (typeof EFFECTS)[number]

/** How often changes had each effect. */
export type EffectCounts = Record<Effect, number>

export function noEffects(): EffectCounts {
  return { none: 0, added: 0, replaced: 0, deleted: 0, kept: 0 }
}

export interface ChangeTarget {
  readonly typeId: number
  readonly table: number
  /** The version of new rows. */
  readonly version: number
  /** Closes the current row of an object, and returns whether there was one. */
  readonly close: (pk: string) => boolean
  readonly keepsExisting: boolean
  readonly columns: PropertyColumns
  /** False if none of the changed objects exists. */
  readonly mayExist: boolean
}

export class ChangeWriter {
  /** The size of the largest record that was written. */
  maxRecordBytes = 0
  /** The length of the bodies that were written. */
  length = 0
  readonly #target: ChangeTarget
  readonly #find
  readonly #rows

  constructor(db: WriterDatabase, target: ChangeTarget) {
    const { table } = target
    this.#target = target
    this.#find = db.cached(
      `SELECT 1 FROM ${objectTable(table)} WHERE pk = ? AND valid_to = ${NEVER_CLOSED}`,
    )
    this.#rows = new RowWriter(db, planOfChanges(db, target))
  }

  /** True if a change leaves its object as it is. */
  isKept(change: ReceivedChange): boolean {
    const { mayExist, keepsExisting } = this.#target
    const mayKeep = mayExist && keepsExisting && isPut(change)
    return mayKeep && this.#find.get(keyOf(change)) !== undefined
  }

  apply(change: ReceivedChange): Effect {
    if (this.isKept(change)) return 'kept'
    const { mayExist, close, version } = this.#target
    const existed = mayExist && close(keyOf(change))
    if (!isPut(change)) return existed ? 'deleted' : 'none'
    const put = putOf(change)
    this.#rows.add(put, version)
    const [pk, , key, title, body] = put
    this.length += body.length
    this.maxRecordBytes = Math.max(this.maxRecordBytes, rowBytes(pk, key, title, body))
    return existed ? 'replaced' : 'added'
  }

  /** Must be called once, at the end of the transaction. */
  finish(): void {
    this.#rows.finish()
  }
}

/** Returns a function that closes the current row of an object as of a version. */
export function rowCloser(
  db: WriterDatabase,
  table: number,
  version: number,
): ChangeTarget['close'] {
  const close = db.cached(
    `UPDATE ${objectTable(table)} SET valid_to = ? WHERE pk = ? AND valid_to = ${NEVER_CLOSED}`,
  )
  return (pk) => close.run(version, pk).changes === 1
}

/**
 * Returns a function that supersedes rows of a replacement, and collects them. All its rows have the
 * same version and were never visible, so a mark replaces both versions, and no reader sees the row.
 */
export function rowMarker(
  db: WriterDatabase,
  table: number,
  mark: number,
  marked: number[],
): ChangeTarget['close'] {
  const close = db.cached(
    `UPDATE ${objectTable(table)} SET valid_from = ?1, valid_to = ?1
     WHERE pk = ?2 AND valid_to = ${NEVER_CLOSED} RETURNING id`,
  )
  return (pk) => {
    const row = close.get(mark, pk)
    if (row !== undefined) marked.push(Number(row[0]))
    return row !== undefined
  }
}
