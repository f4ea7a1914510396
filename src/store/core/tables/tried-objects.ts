/** Reads the objects that a dry run of a changed definition tries. */

import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import { definitionOutOfSync } from '../../sql/plan-types.ts'
import type { NextObjects } from '../../sql/try-objects.ts'
import { boolean, integer } from '../session/columns.ts'
import type { Operation } from '../session/operation.ts'
import type { ReadSession } from '../session/session.ts'
import type { Portion } from './construction.ts'
import { type NextRows, readNext } from './read-objects.ts'

export interface TriedRange extends NextObjects {
  /** The catalogue generation against which the change was checked. */
  readonly basedOn: number
  readonly portion: Portion
  /** Selects the rows of the published version of a type. */
  readonly currentRows: (typeId: number) => Operation<SqlCondition>
}

/** Reads the next objects of a type, or throws if its definition has changed since. */
export function* readTried(
  session: ReadSession,
  { typeRid, after, basedOn, portion, currentRows }: TriedRange,
): Operation<NextRows> {
  const type = yield* session.find(
    `SELECT t.id, t.table_id, t.generation, o.is_created, o.max_record_bytes FROM oqs_object_type AS t
     JOIN oqs_object_table AS o ON o.id = t.table_id WHERE t.rid = ?`,
    [typeRid],
    {
      id: integer,
      tableId: integer,
      generation: integer,
      isCreated: boolean,
      maxRecordBytes: integer,
    },
  )
  if (type !== undefined && type.generation > basedOn) throw definitionOutOfSync()
  if (type?.isCreated !== true) return { rows: [], lastKey: after, isLast: true }
  const current = yield* currentRows(type.id)
  const { tableId, maxRecordBytes } = type
  return yield* readNext(session, { id: tableId, maxRecordBytes, current, after }, portion)
}
