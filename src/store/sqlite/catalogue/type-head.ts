/**
 * The versions of an object type and the tables that hold them, read from the catalogue; those of all
 * types that a query reads; and the rows that are visible at a version.
 */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { linkedTypesOf } from '../../../query/query-tree.ts'
import type { TableLayout } from '../../core/catalogue/build-table.ts'
import { NEVER_CLOSED } from '../../core/catalogue/object-tables.ts'
import {
  type FindTable,
  tableOfRow as findTableOfRow,
  tableOfVersion as findTableOfVersion,
  type TableReader,
} from '../../core/catalogue/walks-of-redefined-types.ts'
import { runNow, settled } from '../../core/session/session.ts'
import type { ReadPageRequest, Reclaimed } from '../../object-store.ts'
import { readableVersion, type VersionState, type Visibility } from '../../sql/plan/plan-rules.ts'
import type * as shared from '../../sql/type-head.ts'
import { KnownUntilCommit, type StatementCache } from '../file/sqlite-session.ts'
import type { TypeGeneration } from './known-fields.ts'
import {
  LAYOUT_COLUMNS,
  type LayoutRow,
  toTableLayout,
  VISIBLE_AT_VERSION,
} from './table-layout.ts'

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

/** Keeps the state of types: reading it takes about 5 % of the time of a small page. */
export class KnownHeads {
  readonly #statements: StatementCache
  readonly #heads: KnownUntilCommit<TypeHead>

  constructor(statements: StatementCache) {
    this.#statements = statements
    this.#heads = new KnownUntilCommit(statements)
  }

  /**
   * Returns the state of a type. Must be called in a transaction: otherwise the version of the data
   * and the state could belong to different commits.
   */
  read(type: ObjectType): TypeHead {
    return this.#heads.find(type.rid, () => readTypeHead(this.#statements, type))
  }
}

/** Returns the table of a version, see core/catalogue/walks-of-redefined-types.ts. */
function tableOfVersion(
  statements: StatementCache,
  head: TypeHead,
  version: number,
  reader: TableReader,
): TableHead {
  return runNow(findTableOfVersion(findTable(statements), head, version, reader))
}

/** Returns the table of a row that a commit wrote, see core/catalogue/walks-of-redefined-types.ts. */
export function tableOfRow(
  statements: StatementCache,
  head: TypeHead,
  version: number,
  objectType: ObjectType,
): TableHead | undefined {
  return runNow(findTableOfRow(findTable(statements), head, version, objectType))
}

function findTable(statements: StatementCache): FindTable<TableHead> {
  return (where, values) => {
    const sql = `SELECT ${TABLE_COLUMNS} FROM oqs_object_table AS o WHERE ${where} LIMIT 1`
    const row = statements.prepare(sql).get(...values)
    return settled(row && toTableHead(row as unknown as TableRow))
  }
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

/** The version of each type that a query reads, by RID. */
export type TypeVersions = ReadonlyMap<string, TypeVersion>

export interface TypeVersion extends VersionState<TableHead>, TypeGeneration {}

type VersionedRequest = Pick<ReadPageRequest, 'query' | 'objectType'> &
  Partial<Pick<ReadPageRequest, 'version' | 'linkedVersions'>>

/** Reads the versions of a request, or the latest where it names none. */
export function readVersions(
  statements: StatementCache,
  { query, objectType, version, linkedVersions }: VersionedRequest,
  head: TypeHead,
  toleratesOldDefinition = false,
): TypeVersions | Reclaimed {
  const own = typeVersion(statements, head, version, { objectType, toleratesOldDefinition })
  if (own === undefined) return 'reclaimed'
  const versions = new Map([[objectType.rid, own]])
  for (const [index, type] of linkedTypesOf(query, objectType).entries()) {
    const linkedHead = readTypeHead(statements, type)
    const linked = typeVersion(statements, linkedHead, linkedVersions?.[index], {
      objectType: type,
    })
    if (linked === undefined) return 'reclaimed'
    versions.set(type.rid, linked)
  }
  return versions
}

/** Returns the version that a request reads, or the latest; undefined if it was reclaimed. */
export function typeVersion(
  statements: StatementCache,
  head: TypeHead,
  requested: number | undefined,
  reader: TableReader,
): TypeVersion | undefined {
  const version = readableVersion({ version: requested }, head)
  if (version === undefined) return undefined
  const table = tableOfVersion(statements, head, version, reader)
  const { generation, typeId, published } = head
  // While a write is unfinished, current rows are not those of the latest version.
  const isLatest = version === published && table.stagedCount === undefined
  return { generation, typeId, version, isLatest, table }
}

/** Returns the values of a visibility's placeholders. */
export function visibilityValues(visibility: Visibility, version: number): readonly number[] {
  return visibility === 'current' ? [] : [version, version]
}

export const VISIBLE: Readonly<Record<Visibility, string>> = {
  current: `valid_to = ${NEVER_CLOSED}`,
  version: VISIBLE_AT_VERSION,
}

/** The addition stops SQLite from preparing the statement again for each value of the limit. */
export const LIMIT = 'LIMIT ? + 0'
