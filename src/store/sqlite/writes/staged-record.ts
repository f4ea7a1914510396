/**
 * Staged writes: large writes that take several transactions, between which others get their turn.
 *
 * A staged write reserves a version beyond those of the next commits. Its steps close rows and add new
 * ones with that version at once. It is not published yet, so readers do not see it: while a table
 * has a staged write, they read the rows of the published version instead of the current ones. The
 * last step publishes the version, which makes all changes visible, and deletes the record.
 *
 * A commit in between takes an earlier version. It retracts what the staged write has done to its
 * objects, and notes their keys; the staged write changes them again before it is published. So the
 * result is that of the commit, followed by the staged write.
 *
 * See docs/decisions/026-staged-writes.md.
 */
import { ObjectQueryError } from '../../../contract/errors.ts'
import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import {
  integer,
  type Operation,
  optional,
  type ReadSession,
  text,
} from '../../core/session/session.ts'
import type { StagedRecord } from '../../core/tables/construction.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import { rowRemover } from '../catalogue/object-table.ts'
import { VISIBLE_AT_VERSION } from '../catalogue/table-layout.ts'
import { runIn } from '../file/sqlite-session.ts'
import type { WriterDatabase } from '../file/writer-database.ts'

/** The commits that a type can have during a staged write. */
const RESERVED_VERSIONS = 1_000_000

const STAGED = {
  table: integer,
  version: integer,
  afterRow: integer,
  owner: text,
  steps: integer,
} as const
const SELECT_STAGED = 'SELECT table_id, version, after_row, owner, steps FROM oqs_staged_write'

export function readStaged(db: WriterDatabase, table: number): StagedRecord | undefined {
  const sql = `${SELECT_STAGED} WHERE table_id = ?`
  return runIn(db, (session) => session.find(sql, [table], STAGED))
}

/** Returns all staged writes, for maintenance. */
export function listStaged(db: WriterDatabase): readonly StagedRecord[] {
  return runIn(db, (session) => session.query(SELECT_STAGED, [], STAGED))
}

/** What a new record says about its write. */
export interface NewStaged {
  readonly table: number
  /** The last version of the type; undefined for the table of a replacement. */
  readonly lastVersion: number | undefined
  readonly changes: number
  readonly owner: string
}

/** Adds the record of a write to a table that has none. */
export function addStaged(
  db: WriterDatabase,
  { table, lastVersion, changes, owner }: NewStaged,
): StagedRecord {
  // A number of its own, so that no two batches of a replacement mark rows in the same way.
  const takeRow = db.cached('UPDATE oqs_catalogue SET last_row = last_row + 1 RETURNING last_row')
  const afterRow = Number(takeRow.get()?.[0])
  const version = lastVersion === undefined ? -1 - afterRow : lastVersion + RESERVED_VERSIONS
  db.cached(
    `INSERT INTO oqs_staged_write (table_id, version, after_row, changes, owner)
     VALUES (?, ?, ?, ?, ?)`,
  ).run(table, version, afterRow, changes, owner)
  return { table, version, afterRow, owner, steps: 0 }
}

/** The owner of a write that is being undone. */
export const NO_OWNER = 'undone'

/** Takes a write from its owner, which then cannot continue it between the steps that undo it. */
export function disownStaged(db: WriterDatabase, { table }: Pick<StagedRecord, 'table'>): void {
  db.cached('UPDATE oqs_staged_write SET owner = ? WHERE table_id = ?').run(NO_OWNER, table)
}

/** Counts a step, so that others see that the write goes on. */
export function countStep(db: WriterDatabase, { table }: Pick<StagedRecord, 'table'>): void {
  db.cached('UPDATE oqs_staged_write SET steps = steps + 1 WHERE table_id = ?').run(table)
}

export function removeStaged(db: WriterDatabase, { table }: Pick<StagedRecord, 'table'>): void {
  db.cached('DELETE FROM oqs_staged_write WHERE table_id = ?').run(table)
}

/** The next version of a type, which must not reach the one that a staged write has reserved. */
export function nextVersion(lastVersion: number, staged: number | undefined): number {
  const version = lastVersion + 1
  if (staged === undefined || version < staged) return version
  const reason = 'too many batches were committed while a large one is being written'
  throw new ObjectQueryError('ServiceUnavailable', { reason })
}

/** The published version of a type, and the version of the staged write of its table. */
interface PublishedVersion {
  readonly published: number
  readonly staged?: number | undefined
}

/** Selects the rows of the published version: the current ones may be those of a staged write. */
export function publishedRows({ published, staged }: PublishedVersion): SqlCondition {
  return staged === undefined
    ? { sql: `valid_to = ${NEVER_CLOSED}`, values: [] }
    : { sql: VISIBLE_AT_VERSION, values: [published, published] }
}

/** Does the same for a type. */
export function* currentRows(session: ReadSession, typeId: number): Operation<SqlCondition> {
  const type = yield* session.find(
    `SELECT t.published, s.version FROM oqs_object_type AS t
     LEFT JOIN oqs_staged_write AS s ON s.table_id = t.table_id WHERE t.id = ?`,
    [typeId],
    { published: integer, staged: optional(integer) },
  )
  if (type === undefined) throw new Error(`no object type ${typeId}`)
  return publishedRows(type)
}

/**
 * Returns a function that retracts what a staged write has done to an object, for a commit that
 * changes it before the staged write is published.
 */
export function stagedRetractor(
  db: WriterDatabase,
  { table, version }: Pick<StagedRecord, 'table' | 'version'>,
): (pk: string) => void {
  const name = objectTable(table)
  const find = db.cached(`SELECT id FROM ${name} WHERE pk = ? AND valid_from = ?`)
  const reopen = db.cached(
    `UPDATE ${name} SET valid_to = ${NEVER_CLOSED} WHERE pk = ? AND valid_to = ?`,
  )
  const remove = rowRemover(db, table)
  return (pk) => {
    const row = find.get(pk, version)
    if (row !== undefined) remove(Number(row[0]))
    reopen.run(pk, version)
  }
}

/** Notes that a commit has changed an object, which the staged write has to change again. */
export function noteStagedChange(db: WriterDatabase, table: number, pk: string): void {
  db.cached('INSERT OR IGNORE INTO oqs_staged_change (table_id, pk) VALUES (?, ?)').run(table, pk)
}

/** True if commits have changed objects since the keys were taken last. */
export function hasStagedChanges(db: WriterDatabase, table: number): boolean {
  const sql = 'SELECT 1 FROM oqs_staged_change WHERE table_id = ? LIMIT 1'
  return db.cached(sql).get(table) !== undefined
}

/** Takes some of the keys that were noted. */
export function takeStagedChanges(db: WriterDatabase, table: number, limit: number): string[] {
  return db
    .cached(
      `DELETE FROM oqs_staged_change WHERE table_id = ?1 AND pk IN (
         SELECT pk FROM oqs_staged_change WHERE table_id = ?1 ORDER BY pk LIMIT ?2
       ) RETURNING pk`,
    )
    .all(table, limit)
    .map(([pk]) => String(pk))
}
