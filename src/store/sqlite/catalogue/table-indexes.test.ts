import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { withSortingThread } from './table-indexes.ts'

const MANY_ROWS = 1_000_000

function settingsOf(db: DatabaseSync): unknown {
  return ['threads', 'cache_size'].map((name) => db.prepare(`PRAGMA ${name}`).get()?.[name])
}

it('sorts the entries of many rows in a thread, and restores the settings, also after an error', () => {
  using db = new DatabaseSync(':memory:')
  db.exec('PRAGMA cache_size = -32768')
  const before = settingsOf(db)
  expect(withSortingThread(db, 1000, () => settingsOf(db))).toEqual(before)
  expect(withSortingThread(db, MANY_ROWS, () => settingsOf(db))).toEqual([1, -2048])
  expect(() => withSortingThread(db, MANY_ROWS, () => db.exec('no SQL'))).toThrow(/syntax/)
  expect(settingsOf(db)).toEqual(before)
})

it('builds a complete index from portions that a thread has sorted', () => {
  using db = new DatabaseSync('')
  db.exec(`
    CREATE TABLE numbered (id INTEGER PRIMARY KEY, text TEXT);
    INSERT INTO numbered WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000)
      SELECT i, printf('%08d and a text of a usual length', i * 7919 % 50021) FROM n;
    BEGIN`)
  withSortingThread(db, MANY_ROWS, () => db.exec('CREATE INDEX by_text ON numbered (text)'))
  db.exec('COMMIT')
  expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  const [{ count } = { count: 0 }] = db
    .prepare('SELECT count(*) AS count FROM numbered INDEXED BY by_text WHERE text > 0')
    .all() as { count: number }[]
  expect(count).toBe(50_000)
})
