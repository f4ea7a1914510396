/**
 * Deletes the matches of a query in two steps. A reader process finds them, which may be slow and can
 * be stopped. The writer thread then closes their rows, and those of matches that were written in
 * between: row numbers only grow, so these are the rows after the last one that the reader saw.
 */
import { AUDIT_KEYS_MAX } from '../../../contract/limits.ts'
import type { Commit, DeleteRequest } from '../../object-store.ts'
import type { AuditMessage } from '../../sql/audit-row.ts'
import { OPEN } from '../../sql/new-table.ts'
import type { OnceMessage } from '../../sql/once-key.ts'
import type { SqlCondition } from '../../sql/sql-condition.ts'
import { auditCommit } from '../catalogue/audit-records.ts'
import { objectTable } from '../catalogue/table-name.ts'
import { readTypeHead } from '../catalogue/type-head.ts'
import { inTransaction } from '../file/connection.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { readVersions } from '../queries/linked-tables.ts'
import { type QueryConnection, toQueryConnection } from '../queries/query-connection.ts'
import { querySql } from '../queries/query-sql.ts'
import { queryTables } from '../queries/query-tables.ts'
import { noteClosedKeys } from '../rewrite/changed-keys.ts'
import { inReadTransaction, type ReadConnection } from '../threads/read-connection.ts'
import { readType, saveTableCounts } from './commit-batch.ts'
import { findRepeated, recordCommit } from './idempotency-keys.ts'
import { publishVersion } from './publish-version.ts'

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
    const { table, isCreated, liveCount } = readTypeHead(statements, search.objectType).current
    const [lastRow] = statements.prepare('SELECT last_row FROM catalogue').get() as unknown as [
      number,
    ]
    if (!isCreated) return { table, lastRow, rows: new Float64Array() }
    const { sql, values } = matching(reading, search)
    const found = statements
      .prepare(`SELECT o.id FROM ${objectTable(table)} AS o WHERE valid_to = ${OPEN} AND ${sql}`)
      .iterate(...values)
    const rows = new Float64Array(liveCount)
    let count = 0
    for (const row of found) {
      rows[count] = (row as unknown as [number])[0]
      count += 1
    }
    return { table, lastRow, rows: rows.slice(0, count) }
  })
}

export interface DeleteMessage extends DeleteSearch {
  readonly basedOn: number
  readonly found: FoundRows
  readonly once: OnceMessage | undefined
  readonly audit: AuditMessage | undefined
}

/** The number of rows to close per statement. */
const ROWS_PER_STATEMENT = 5000

/**
 * Closes the rows that were found and are still current, and later rows that match, as one commit.
 * Returns undefined if a replacement was published since, so that the search must be repeated.
 */
export function deleteRows(db: WriterDatabase, message: DeleteMessage): Commit | undefined {
  const { objectType, basedOn, found, once, audit } = message
  return inTransaction(db, 'write', () => {
    const repeated = findRepeated((sql) => db.cached(sql), once)
    if (repeated !== undefined) return repeated
    const type = readType(db, { typeRid: objectType.rid, basedOn })
    const { current: table } = type
    if (table.id !== found.table) return undefined
    const version = type.lastVersion + 1
    const deleted = table.isCreated ? closeRows(db, message, version) : 0
    const commit = { version: deleted === 0 ? type.published : version, put: 0, deleted, kept: 0 }
    if (deleted > 0) {
      const { maxRecordBytes } = table
      const liveCount = table.liveCount - deleted
      saveTableCounts(db, table.id, { liveCount, maxRecordBytes, closed: deleted })
      if (type.isRewriting) noteClosedKeys(db, { typeId: type.id, table: table.id, version })
      publishVersion(db, { typeId: type.id, version, put: 0, deleted, kept: 0 })
    }
    const keys = audit && deleted > 0 ? deletedKeys(db, table.id, version) : []
    return auditCommit(db, audit, recordCommit(db, once, commit), keys)
  })
}

/** Returns the first keys that a version has deleted, as many as the audit log keeps. */
function deletedKeys(db: WriterDatabase, table: number, version: number): string[] {
  const rows = db
    .prepare(
      `SELECT pk FROM ${objectTable(table)} WHERE valid_to = ? AND valid_to < ${OPEN}
       ORDER BY pk LIMIT ${AUDIT_KEYS_MAX}`,
    )
    .all(version)
  return rows.map((row) => String(row['pk']))
}

function closeRows(
  db: WriterDatabase,
  { objectType, query, found }: DeleteMessage,
  version: number,
): number {
  const { table, rows, lastRow } = found
  const close = `UPDATE ${objectTable(table)} AS o SET valid_to = ? WHERE valid_to = ${OPEN}`
  const closeFound = db.prepare(`${close} AND id IN (SELECT value FROM json_each(?))`)
  let closed = 0
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    const some = JSON.stringify(Array.from(rows.subarray(at, at + ROWS_PER_STATEMENT)))
    closed += Number(closeFound.run(version, some).changes)
  }
  const later = matching(toQueryConnection(db), { objectType, query })
  const closeLater = db.prepare(`${close} AND o.id > ? AND ${later.sql}`)
  return closed + Number(closeLater.run(version, lastRow, ...later.values).changes)
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
