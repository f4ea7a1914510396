/**
 * Deletes the matches of a query in two steps. A reader process finds them, which may be slow and can
 * be stopped. The writer thread then closes their rows, and those of matches that were written in
 * between: row numbers only grow, so these are the rows after the last one that the reader saw.
 */

import { AUDIT_KEYS_MAX } from '../../../contract/limits.ts'
import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import { NOTHING_WRITTEN, type WriteMessage } from '../../core/commits/commit-write.ts'
import type { Commit, DeleteRequest } from '../../object-store.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import { versionIndex } from '../catalogue/table-indexes.ts'
import { readTypeHead, readVersions, VISIBLE, visibilityValues } from '../catalogue/type-head.ts'
import { inTransaction } from '../file/connection.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { type QueryConnection, toQueryConnection } from '../queries/query-connection.ts'
import { querySql } from '../queries/query-sql.ts'
import { queryTables } from '../queries/query-tables.ts'
import { inReadTransaction, type ReadConnection } from '../queries/read-connection.ts'
import { noteClosedKeys } from './changed-keys.ts'
import { closeWrite, openWrite, type SqliteTarget } from './commit-batch.ts'
import { nextVersion, noteStagedChange, publishedRows, stagedRetractor } from './staged-record.ts'

export type DeleteSearch = Pick<DeleteRequest, 'objectType' | 'query'>

/** The matches at one moment. */
export interface FoundRows {
  readonly table: number
  /** The last row of any table at that moment. */
  readonly lastRow: number
  readonly rows: Float64Array
}

/** Finds the rows of all current matches. A row number takes eight bytes. */
export function findRowsToDelete(reading: ReadConnection, search: DeleteSearch): FoundRows {
  const { statements } = reading
  return inReadTransaction(reading, () => {
    const head = readTypeHead(statements, search.objectType)
    const { table, isCreated, liveCount, stagedCount } = head.current
    const [lastRow] = statements.prepare('SELECT last_row FROM oqs_catalogue').get() as [number]
    if (!isCreated) return { table, lastRow, rows: new Float64Array() }
    const { sql, values } = matching(reading, search)
    const visibility = stagedCount === undefined ? 'current' : 'version'
    const found = statements
      .prepare(
        `SELECT o.id FROM ${objectTable(table)} AS o WHERE ${VISIBLE[visibility]} AND ${sql}`,
      )
      .iterate(...visibilityValues(visibility, head.published), ...values)
    const rows = new Float64Array(liveCount)
    let count = 0
    for (const row of found) {
      rows[count] = (row as [number])[0]
      count += 1
    }
    return { table, lastRow, rows: rows.slice(0, count) }
  })
}

export interface DeleteMessage extends DeleteSearch, WriteMessage {
  readonly found: FoundRows
}

/**
 * Closes the rows that were found and are still current, and later rows that match, as one commit.
 * Returns undefined if a replacement was published since, so that the search must be repeated.
 */
export function deleteRows(db: WriterDatabase, message: DeleteMessage): Commit | undefined {
  return inTransaction(db, 'write', () => {
    const { earlier, target } = openWrite(db, message)
    if (target === undefined) return earlier
    const { found } = message
    const { lastVersion, staged } = target
    if (target.id !== found.table) return undefined
    const version = nextVersion(lastVersion, staged)
    if (target.isCreated) {
      if (staged !== undefined) retractMatches(db, message, target)
      closeFoundRows(db, message, { version, from: 0, to: found.rows.length })
      closeMatches(db, message, { version, sql: 'o.id > ?', value: found.lastRow, staged })
    }
    return publishDeletion(db, message, target)
  })
}

/** Publishes the version that has closed the matches. */
export function publishDeletion(
  db: WriterDatabase,
  message: DeleteMessage,
  target: SqliteTarget,
): Commit {
  const { typeId, id: table, version, liveCount, maxRecordBytes } = target
  const deleted = target.isCreated ? countClosed(db, table, version) : 0
  if (deleted > 0 && target.isRewriting) noteClosedKeys(db, { typeId, table, version })
  const isAudited = message.audit !== undefined && deleted > 0
  const keys = isAudited ? deletedKeys(db, table, { version, deleted }) : []
  const counts = { deleted, closed: deleted, liveCount: liveCount - deleted, maxRecordBytes }
  return closeWrite(db, message, target, { ...NOTHING_WRITTEN, ...counts, keys })
}

/** Retracts what a staged write has done to the matches, so that this commit precedes it. */
function retractMatches(db: WriterDatabase, message: DeleteMessage, target: SqliteTarget): void {
  const { id: table, staged = 0 } = target
  const { objectType, query, found } = message
  const { sql, values } = matching(toQueryConnection(db), { objectType, query })
  const visible = publishedRows(target)
  const rows = db
    .prepare(
      `SELECT pk FROM ${objectTable(table)} AS o WHERE ${visible.sql} AND (
         o.id IN (SELECT value FROM json_each(?)) OR (o.id > ? AND ${sql})
       )`,
    )
    .all(...visible.values, JSON.stringify([...found.rows]), found.lastRow, ...values)
  const retract = stagedRetractor(db, { table, version: staged })
  for (const { pk } of rows) {
    retract(String(pk))
    noteStagedChange(db, table, String(pk))
  }
}

function countClosed(db: WriterDatabase, table: number, version: number): number {
  const sql = `SELECT count(*) FROM ${objectTable(table)}
    WHERE valid_to = ? AND valid_to < ${NEVER_CLOSED}`
  return Number(db.cached(sql).get(version)?.[0])
}

/** To sort this many rows takes a few milliseconds. */
const MANY_DELETED = 1000

/** Returns the first keys that a version has deleted, as many as the audit log keeps. */
function deletedKeys(
  db: WriterDatabase,
  table: number,
  { version, deleted }: { readonly version: number; readonly deleted: number },
): string[] {
  const name = objectTable(table)
  // The index of versions is in key order: if many rows are closed, the first ones are soon found.
  const hint = deleted > MANY_DELETED ? `INDEXED BY ${versionIndex(name)}` : ''
  const rows = db
    .cached(
      `SELECT pk FROM ${name} ${hint} WHERE valid_to = ? AND valid_to < ${NEVER_CLOSED}
       ORDER BY pk LIMIT ${AUDIT_KEYS_MAX}`,
    )
    .all(version)
  return rows.map(([pk]) => String(pk))
}

/** Closes those of the found rows that are still current, from one index to another. */
export function closeFoundRows(
  db: WriterDatabase,
  { found }: DeleteMessage,
  { version, from, to }: { readonly version: number; readonly from: number; readonly to: number },
): void {
  db.cached(
    `UPDATE ${objectTable(found.table)} SET valid_to = ? WHERE valid_to = ${NEVER_CLOSED}
       AND id IN (SELECT value FROM json_each(?))`,
  ).run(version, JSON.stringify(Array.from(found.rows.subarray(from, to))))
}

interface MatchesToClose {
  readonly version: number
  /** Which matches are closed: a condition with one value. */
  readonly sql: string
  readonly value: number | string
  /** Rows of this version belong to another write. */
  readonly staged?: number | undefined
}

/** Closes current rows that match the query. */
export function closeMatches(
  db: WriterDatabase,
  { objectType, query, found }: DeleteMessage,
  { version, sql, value, staged = -1 }: MatchesToClose,
): void {
  const match = matching(toQueryConnection(db), { objectType, query })
  db.prepare(
    `UPDATE ${objectTable(found.table)} AS o SET valid_to = ?
     WHERE valid_to = ${NEVER_CLOSED} AND valid_from <> ? AND ${sql} AND ${match.sql}`,
  ).run(version, staged, value, ...match.values)
}

/** Returns the condition of a query on the latest version. */
function matching(connection: QueryConnection, { objectType, query }: DeleteSearch): SqlCondition {
  const { statements, fields } = connection
  const head = readTypeHead(statements, objectType)
  const versions = readVersions(statements, { objectType, query }, head)
  if (versions === 'reclaimed') throw new Error('the latest version is always readable')
  const { table, layout } = head.current
  const numbers = fields.read(head, layout)
  return querySql(query, queryTables(connection, { table, objectType, numbers, versions }))
}
