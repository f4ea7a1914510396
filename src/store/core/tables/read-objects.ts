/** Reads the stored objects of a table in key order, in portions. */

import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import { objectTable } from '../catalogue/object-tables.ts'
import { integer, type Operation, type ReadSession, text } from '../session/session.ts'
import type { Portion } from './construction.ts'

/** An object as a table stores it. */
export interface StoredRow {
  readonly pk: string
  /** The primary key as JSON. */
  readonly key: string
  readonly body: string
}

export const STORED_ROW = { pk: text, key: text, body: text } as const

export interface NextRows {
  readonly rows: readonly StoredRow[]
  /** The last key that was read, or the one before the first if there is none. */
  readonly lastKey: string
  /** True if no object follows the last key. */
  readonly isLast: boolean
}

export interface RowRange {
  /** The number of the table. */
  readonly id: number
  /** The size of the largest object of the table. */
  readonly maxRecordBytes: number
  readonly current: SqlCondition
  readonly after: string
}

/** Reads the objects that follow a key, up to a portion. */
export function* readNext(
  session: ReadSession,
  range: RowRange,
  portion: Portion,
): Operation<NextRows> {
  const { id, current, after, maxRecordBytes } = range
  const { objects, bytes } = portion
  if (objects * maxRecordBytes > bytes) return yield* readNextBySize(session, range, portion)
  const rows = yield* session.query(
    `SELECT pk, ${session.dialect.keyJson}, body FROM ${objectTable(id)}
     WHERE ${current.sql} AND pk > ? ORDER BY pk LIMIT ?`,
    [...current.values, after, objects],
    STORED_ROW,
  )
  return { rows, lastKey: rows.at(-1)?.pk ?? after, isLast: rows.length < objects }
}

/** Reads the sizes first: that of a long text is known without reading it. */
function* readNextBySize(
  session: ReadSession,
  { id, current, after }: RowRange,
  { objects, bytes }: Portion,
): Operation<NextRows> {
  const table = objectTable(id)
  const sizes = yield* session.query(
    `SELECT pk, octet_length(body) FROM ${table} WHERE ${current.sql} AND pk > ? ORDER BY pk LIMIT ?`,
    [...current.values, after, objects],
    { pk: text, bytes: integer },
  )
  let total = 0
  const end = sizes.findIndex((row, index) => {
    total += row.bytes
    return index > 0 && total > bytes
  })
  const last = sizes.at(end === -1 ? -1 : end - 1)
  if (last === undefined) return { rows: [], lastKey: after, isLast: true }
  const rows = yield* session.query(
    `SELECT pk, ${session.dialect.keyJson}, body FROM ${table} WHERE ${current.sql} AND pk > ? AND pk <= ? ORDER BY pk`,
    [...current.values, after, last.pk],
    STORED_ROW,
  )
  return { rows, lastKey: last.pk, isLast: end === -1 && sizes.length < objects }
}
