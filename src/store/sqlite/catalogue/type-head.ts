/** The versions of an object type and the tables that hold them, read from the catalogue. */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type * as shared from '../../sql/type-head.ts'
import type { StatementCache } from '../file/statement-cache.ts'
import { type LayoutRow, type TableLayout, toTableLayout } from './table-layout.ts'

export interface TypeHead extends shared.TypeHead {
  readonly current: TableHead
}

export interface TableHead extends shared.TableHead {
  /** False until the first object is written. */
  readonly isCreated: boolean
  /** The number of closed rows that are not reclaimed yet. */
  readonly closedCount: number
  readonly layout: TableLayout
}

const TABLE_COLUMNS = `o.id, o.first_version, o.loaded_as, o.live_count, o.max_record_bytes, o.is_made,
  o.past_count, o.layout, o.key_property, o.long_texts`
const HEAD_SQL = `SELECT t.id, t.published, t.oldest, ${TABLE_COLUMNS}
  FROM object_type AS t JOIN object_table AS o ON o.id = t.table_id WHERE t.rid = ?`

export function readTypeHead(statements: StatementCache, type: ObjectType): TypeHead {
  const row = statements.prepare(HEAD_SQL).get(type.rid) as unknown as unknown[] | undefined
  // Another process may have dropped the type since the catalogue was read.
  if (row === undefined) {
    throw new ObjectQueryError('ObjectTypeNotFound', { objectType: type.apiName })
  }
  const [typeId = 0, published = 0, oldest = 0] = row as number[]
  return { typeId, published, oldest, current: toTableHead(row.slice(3)) }
}

/** Returns the table of a version: the current one, or one that was replaced. */
export function tableOfVersion(
  statements: StatementCache,
  { typeId, current }: TypeHead,
  version: number,
): TableHead {
  if (version >= current.firstVersion) return current
  const row = statements
    .prepare(
      `SELECT ${TABLE_COLUMNS} FROM object_table AS o
       WHERE object_type_id = ? AND state = 'published' AND first_version <= ?
       ORDER BY first_version DESC LIMIT 1`,
    )
    .get(typeId, version)
  if (row === undefined) throw new Error(`no table holds version ${version}`)
  return toTableHead(row as unknown as unknown[])
}

/** Returns the table of a row that a commit wrote; undefined if the table was dropped. */
export function tableOfRow(
  statements: StatementCache,
  { typeId, current }: TypeHead,
  version: number,
): TableHead | undefined {
  if (version >= current.firstVersion || version === current.loadedAs) return current
  const row = statements
    .prepare(
      `SELECT ${TABLE_COLUMNS} FROM object_table AS o
       WHERE object_type_id = ?1 AND state = 'published' AND (loaded_as = ?2 OR first_version <= ?2)
       ORDER BY loaded_as = ?2 DESC, first_version DESC LIMIT 1`,
    )
    .get(typeId, version)
  return row && toTableHead(row as unknown as unknown[])
}

function toTableHead(row: readonly unknown[]): TableHead {
  const [table, firstVersion, loadedAs, liveCount, maxRecordBytes, isCreated, closedCount] = row
  return {
    table: Number(table),
    firstVersion: Number(firstVersion),
    loadedAs: Number(loadedAs),
    liveCount: Number(liveCount),
    maxRecordBytes: Number(maxRecordBytes),
    isCreated: isCreated === 1,
    closedCount: Number(closedCount),
    layout: toTableLayout(row.slice(-3) as unknown as LayoutRow),
  }
}
