import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { recordShape } from '../../../src/contract/object-record.ts'
import type { Revision } from '../../../src/contract/revisions.ts'
import { OPEN } from '../../../src/store/sql/new-table.ts'
import type { Visibility } from '../../../src/store/sql/plan-rules.ts'
import { objectTable } from '../../../src/store/sqlite/catalogue/object-table.ts'
import { pageSql, VISIBLE, visibilityValues } from '../../../src/store/sqlite/pages/page-sql.ts'
import { OBJECT_TYPE } from '../objects.ts'
import type { Layout, PageReader, PageWish } from './layout.ts'
import { renderRecord } from './render-record.ts'

/** The layouts with a row for each object. */

/** What the store has. */
export const ROWS: Layout = {
  name: 'rows',
  rowsKeepBody: true,
  revisions: ['1.0', '2.0'],
  create() {},
  write() {},
  reader: storeReader,
}

/** A number that no table of the store has. */
const CLUSTERED_TABLE = 1_000_000

/** Bodies apart from what questions need, in a table that is sorted by key itself. */
export const CLUSTERED: Layout = {
  name: 'clustered',
  rowsKeepBody: false,
  revisions: ['1.0', '2.0'],
  create(db) {
    db.exec(`
      CREATE TABLE ${objectTable(CLUSTERED_TABLE)} (
        pk TEXT NOT NULL,
        valid_from INTEGER NOT NULL,
        valid_to INTEGER NOT NULL DEFAULT ${OPEN},
        object_id TEXT NOT NULL,
        key TEXT NOT NULL,
        title TEXT,
        body TEXT NOT NULL,
        PRIMARY KEY (pk, valid_from)
      ) STRICT, WITHOUT ROWID`)
  },
  write(db, puts, version) {
    const table = objectTable(CLUSTERED_TABLE)
    const close = closeStatement(db, table)
    const add = db.prepare(
      `INSERT INTO ${table} (pk, valid_from, object_id, key, title, body) VALUES (?, ?, ?, ?, ?, ?)`,
    )
    for (const [pk, objectId, key, title, body] of puts) {
      close.run(version, pk)
      add.run(pk, version, objectId, key, title, body)
    }
  },
  reader: (db) => storeReader(db, CLUSTERED_TABLE),
}

/** Rows whose record of revision 1.0 is ready: what is left when nothing is put together. */
export const READY: Layout = {
  name: 'ready',
  rowsKeepBody: false,
  revisions: ['1.0'],
  create(db) {
    db.exec(`
      CREATE TABLE ready (
        id INTEGER PRIMARY KEY,
        pk TEXT NOT NULL,
        valid_from INTEGER NOT NULL,
        valid_to INTEGER NOT NULL DEFAULT ${OPEN},
        record TEXT NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX ready_current ON ready (pk) WHERE valid_to = ${OPEN};
      CREATE INDEX ready_version ON ready (pk, valid_from, valid_to)`)
  },
  write(db, puts, version) {
    const close = closeStatement(db, 'ready')
    const add = db.prepare('INSERT INTO ready (pk, valid_from, record) VALUES (?, ?, ?)')
    for (const put of puts) {
      const [pk] = put
      close.run(version, pk)
      add.run(pk, version, renderRecord('1.0', put))
    }
  },
  reader(db) {
    return pageReader(db, (_, visibility) => ({
      sql: `SELECT CAST(group_concat(record, ',') AS BLOB), max(pk), count(*) FROM (
        SELECT pk, record FROM ready WHERE ${VISIBLE[visibility]} AND pk > ? ORDER BY pk LIMIT ?
      )`,
      values: [],
    }))
  },
}

function closeStatement(db: DatabaseSync, table: string): StatementSync {
  return db.prepare(`UPDATE ${table} SET valid_to = ? WHERE pk = ? AND valid_to = ${OPEN}`)
}

/** The page SQL of the store, on any table with its columns. */
function storeReader(db: DatabaseSync, table: number): PageReader {
  return pageReader(db, (revision, visibility) => {
    const record = { shape: recordShape(revision, OBJECT_TYPE), selection: undefined }
    return pageSql(table, visibility, record)
  })
}

interface PreparedPage {
  readonly statement: StatementSync
  readonly values: readonly string[]
}

type SqlOf = (
  revision: Revision,
  visibility: Visibility,
) => { readonly sql: string; readonly values: readonly string[] }

function pageReader(db: DatabaseSync, sqlOf: SqlOf): PageReader {
  const prepared = new Map<string, PreparedPage>()
  const prepare = (revision: Revision, visibility: Visibility) => {
    const { sql, values } = sqlOf(revision, visibility)
    const statement = db.prepare(sql)
    statement.setReturnArrays(true)
    return { statement, values }
  }
  return ({ revision, version, after, objects }: PageWish) => {
    const visibility = version === undefined ? 'current' : 'version'
    const name = `${revision} ${visibility}`
    const page = prepared.get(name) ?? prepare(revision, visibility)
    prepared.set(name, page)
    const visible = visibilityValues(visibility, version ?? 0)
    const row = page.statement.get(...page.values, ...visible, after, objects)
    const [records] = row as unknown as [Uint8Array]
    return [records]
  }
}
