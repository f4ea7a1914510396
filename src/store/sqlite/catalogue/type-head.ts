/** The versions of an object type and the tables that hold them, read from the catalogue. */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { redefinedSince, refuseOtherDefinition } from '../../sql/redefined-type.ts'
import type * as shared from '../../sql/type-head.ts'
import type { StatementCache } from '../file/statement-cache.ts'
import { LAYOUT_COLUMNS, type LayoutRow, type TableLayout, toTableLayout } from './table-layout.ts'

export interface TypeHead extends shared.TypeHead {
  /** The generation of the whole catalogue. */
  readonly generation: number
  readonly current: TableHead
}

export interface TableHead extends shared.TableHead {
  /** False until the first object is written. */
  readonly isCreated: boolean
  /** The number of closed rows that are not reclaimed yet. */
  readonly closedCount: number
  /** The objects that an unfinished write may change; undefined if there is none. */
  readonly stagedCount: number | undefined
  readonly layout: TableLayout
}

/** The columns of `toTableHead`, in its order. */
const TABLE_COLUMNS = `o.id, o.first_version, o.loaded_as, o.live_count, o.max_record_bytes, o.is_created,
  o.closed_count, (SELECT changes FROM oqs_staged_write WHERE table_id = o.id), ${LAYOUT_COLUMNS}`
const HEAD_SQL = `SELECT (SELECT generation FROM oqs_catalogue),
  t.id, t.published, t.oldest, t.redefined_table, t.redefined_generation, ${TABLE_COLUMNS}
  FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id WHERE t.rid = ?`

/** The values of `TABLE_COLUMNS`. */
type TableRow = readonly [
  id: number,
  firstVersion: number,
  loadedAs: number,
  liveCount: number,
  maxRecordBytes: number,
  isCreated: number,
  closedCount: number,
  stagedCount: number | null,
  ...layout: LayoutRow,
]
type HeadRow = readonly [
  generation: number,
  typeId: number,
  published: number,
  oldest: number,
  redefinedTable: number,
  redefinedIn: number,
  ...table: TableRow,
]

export function readTypeHead(statements: StatementCache, type: ObjectType): TypeHead {
  const row = statements.prepare(HEAD_SQL).get(type.rid) as unknown as HeadRow | undefined
  // Another process may have dropped the type since the catalogue was read.
  if (row === undefined) {
    throw new ObjectQueryError('ObjectTypeNotFound', { objectType: type.apiName })
  }
  const [generation, typeId, published, oldest, redefinedTable, redefinedIn, ...table] = row
  const redefined = { table: redefinedTable, generation: redefinedIn }
  return { generation, typeId, published, oldest, redefined, current: toTableHead(table) }
}

/**
 * Returns the table of a version: the current one, or one that was replaced. Throws if it has another
 * definition than the request, unless the request walks over all objects in key order.
 */
export function tableOfVersion(
  statements: StatementCache,
  head: TypeHead,
  version: number,
  { objectType, toleratesOldDefinition = false }: TableReader,
): TableHead {
  const table = findTableOfVersion(statements, head, version)
  refuseOtherDefinition(head.redefined, table.table, objectType, toleratesOldDefinition)
  return table
}

/** The request that reads a table. */
export interface TableReader {
  readonly objectType: ObjectType
  /** Whether the request reads all objects of one type in key order. */
  readonly toleratesOldDefinition?: boolean
}

function findTableOfVersion(
  statements: StatementCache,
  { typeId, current }: TypeHead,
  version: number,
): TableHead {
  if (version >= current.firstVersion) return current
  const row = statements
    .prepare(
      `SELECT ${TABLE_COLUMNS} FROM oqs_object_table AS o
       WHERE object_type_id = ? AND state = 'published' AND first_version <= ?
       ORDER BY first_version DESC LIMIT 1`,
    )
    .get(typeId, version)
  if (row === undefined) throw new Error(`no table holds version ${version}`)
  return toTableHead(row as unknown as TableRow)
}

/**
 * Returns the table of a row that a commit wrote; undefined if the table was dropped. Throws if the
 * values of the row have the form of an earlier definition.
 */
export function tableOfRow(
  statements: StatementCache,
  head: TypeHead,
  version: number,
  objectType: ObjectType,
): TableHead | undefined {
  const table = findTableOfRow(statements, head, version)
  if (table !== undefined && table.table < head.redefined.table) throw redefinedSince(objectType)
  return table
}

function findTableOfRow(
  statements: StatementCache,
  { typeId, current }: TypeHead,
  version: number,
): TableHead | undefined {
  if (version >= current.firstVersion || version === current.loadedAs) return current
  const row = statements
    .prepare(
      `SELECT ${TABLE_COLUMNS} FROM oqs_object_table AS o
       WHERE object_type_id = ?1 AND state = 'published' AND (loaded_as = ?2 OR first_version <= ?2)
       ORDER BY loaded_as = ?2 DESC, first_version DESC LIMIT 1`,
    )
    .get(typeId, version)
  return row && toTableHead(row as unknown as TableRow)
}

function toTableHead(row: TableRow): TableHead {
  const [
    table,
    firstVersion,
    loadedAs,
    liveCount,
    maxRecordBytes,
    isCreated,
    closedCount,
    stagedCount,
    ...layout
  ] = row
  return {
    table,
    firstVersion,
    loadedAs,
    liveCount,
    maxRecordBytes,
    isCreated: isCreated === 1,
    closedCount,
    stagedCount: stagedCount ?? undefined,
    layout: toTableLayout(layout),
  }
}
