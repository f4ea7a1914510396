import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { runNow } from '../../core/session/session.ts'
import { SqliteSession, StatementCache } from '../file/sqlite-session.ts'
import { SQLITE_TABLES } from './object-table.ts'

const MANY_ROWS = 1_000_000

function settingsOf(db: DatabaseSync): unknown {
  return ['threads', 'cache_size'].map((name) => db.prepare(`PRAGMA ${name}`).get()?.[name])
}

function build(db: DatabaseSync, sql: string, rows: number): void {
  const session = new SqliteSession(db, new StatementCache(db))
  runNow(SQLITE_TABLES.buildIndex(session, { name: '', sql }, rows))
}

it('sorts the entries of many rows in a thread, and restores the settings, also after an error', () => {
  using db = new DatabaseSync(':memory:')
  db.exec('PRAGMA cache_size = -32768; CREATE TABLE one (id INTEGER); INSERT INTO one VALUES (1)')
  const before = settingsOf(db)
  let during: unknown
  db.function('observe', { deterministic: true }, (_id) => {
    during = settingsOf(db)
    return 1
  })
  build(db, 'CREATE INDEX few ON one (observe(id))', 1000)
  expect(during).toEqual(before)
  build(db, 'CREATE INDEX many ON one (observe(id))', MANY_ROWS)
  expect(during).toEqual([1, -2048])
  expect(() => build(db, 'no SQL', MANY_ROWS)).toThrow(/syntax/)
  expect(settingsOf(db)).toEqual(before)
})

it('builds a complete index from portions that a thread has sorted', () => {
  using db = new DatabaseSync('')
  db.exec(`
    CREATE TABLE numbered (id INTEGER PRIMARY KEY, text TEXT);
    INSERT INTO numbered WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000)
      SELECT i, printf('%08d and a text of a usual length', i * 7919 % 50021) FROM n;
    BEGIN`)
  build(db, 'CREATE INDEX by_text ON numbered (text)', MANY_ROWS)
  db.exec('COMMIT')
  expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  const [{ count } = { count: 0 }] = db
    .prepare('SELECT count(*) AS count FROM numbered INDEXED BY by_text WHERE text > 0')
    .all() as { count: number }[]
  expect(count).toBe(50_000)
})
