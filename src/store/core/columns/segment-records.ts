/** The records of the files with columns, in the catalogue. */
import type { ColumnSegmentRecord } from '../../columns/feed/column-feed.ts'
import { integer, type Operation, type ReadSession, text } from '../session/session.ts'
import type { WriteOperation } from '../session/store-operations.ts'

/** Selects the records of tables that still have readers. */
const HAS_TABLE = `EXISTS (
  SELECT 1 FROM oqs_object_table AS o
  WHERE o.id = oqs_column_segment.table_id AND o.state <> 'abandoned'
)`

/** Returns the records, without those of tables that are gone. */
export function readSegments(session: ReadSession): Operation<readonly ColumnSegmentRecord[]> {
  return session.query(
    `SELECT name, type_rid, table_id, generation, version FROM oqs_column_segment
     WHERE ${HAS_TABLE} ORDER BY name`,
    [],
    { name: text, typeRid: text, table: integer, generation: integer, version: integer },
  )
}

export const addSegment: WriteOperation<ColumnSegmentRecord, void> = {
  name: 'addSegment',
  *run(session, { name, typeRid, table, generation, version }) {
    yield* session.run(`DELETE FROM oqs_column_segment WHERE NOT ${HAS_TABLE}`, [])
    yield* session.run(
      `INSERT INTO oqs_column_segment (name, type_rid, table_id, generation, version)
       VALUES (?, ?, ?, ?, ?)`,
      [name, typeRid, table, generation, version],
    )
  },
}

export const removeSegments: WriteOperation<readonly string[], void> = {
  name: 'removeSegments',
  *run(session, names) {
    yield* session.run(
      `DELETE FROM oqs_column_segment WHERE name ${session.dialect.isOneOf('text')}`,
      [names],
    )
  },
}
