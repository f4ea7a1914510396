import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openConnection, openWriterConnection, pageBytesOf } from './connection.ts'
import { createDatabaseFile } from './database-file.ts'

it('makes the WAL small again after a large commit', () => {
  using folder = tempFolder()
  const path = createDatabaseFile(join(folder.path, 'oqs.db'))
  using db = openWriterConnection(path)
  db.exec('CREATE TABLE t (x); INSERT INTO t VALUES (randomblob(20000000))')
  const large = statSync(`${path}-wal`).size
  db.exec('INSERT INTO t VALUES (1)')
  expect(large).toBeGreaterThan(20_000_000)
  expect(statSync(`${path}-wal`).size).toBeLessThan(9_000_000)
})

it('gives a new file pages of 8192 bytes', () => {
  using folder = tempFolder()
  const path = createDatabaseFile(join(folder.path, 'oqs.db'))
  {
    using db = openConnection(path)
    db.exec('CREATE TABLE t (x)')
  }
  using db = new DatabaseSync(path)
  expect(pageBytesOf(db)).toBe(8192)
})

it.for([
  [512, 16_000],
  [4096, 2000],
  [8192, 1000],
  [65_536, 125],
])('makes checkpoints after the same bytes with pages of %i bytes', ([pageBytes, pages]) => {
  using folder = tempFolder()
  const path = createDatabaseFile(join(folder.path, 'oqs.db'))
  {
    using db = new DatabaseSync(path)
    db.exec(`PRAGMA page_size = ${pageBytes}; CREATE TABLE t (x)`)
  }
  using db = openWriterConnection(path)
  expect(pageBytesOf(db)).toBe(pageBytes)
  expect(db.prepare('PRAGMA wal_autocheckpoint').get()).toEqual({ wal_autocheckpoint: pages })
})
