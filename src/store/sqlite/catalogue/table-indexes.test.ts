import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { sortingInThread } from './table-indexes.ts'

const MANY_ROWS = 1_000_000

function settingsOf(db: DatabaseSync): unknown {
  return ['threads', 'cache_size'].map((name) => db.prepare(`PRAGMA ${name}`).get()?.[name])
}

it('sorts the entries of many rows in a thread, and restores the settings, also after an error', () => {
  using db = new DatabaseSync(':memory:')
  db.exec('PRAGMA cache_size = -32768')
  const before = settingsOf(db)
  expect(sortingInThread(db, 1000, () => settingsOf(db))).toEqual(before)
  expect(sortingInThread(db, MANY_ROWS, () => settingsOf(db))).toEqual([1, -2048])
  expect(() => sortingInThread(db, MANY_ROWS, () => db.exec('no SQL'))).toThrow(/syntax/)
  expect(settingsOf(db)).toEqual(before)
})
