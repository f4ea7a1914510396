import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openWriterConnection } from '../file/connection.ts'
import { createDatabaseFile } from '../file/database-file.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { checkpointLate, withLateCheckpoint } from './late-checkpoint.ts'

/** More than the pages after which SQLite makes a checkpoint. */
const MANY_BYTES = 5_000_000

function addBytes(db: WriterDatabase): void {
  db.prepare('INSERT INTO t VALUES (zeroblob(?))').run(MANY_BYTES)
}

function openEmpty(folder: string) {
  const path = createDatabaseFile(join(folder, 'oqs.db'))
  const db = openWriterConnection(path)
  db.exec('CREATE TABLE t (value BLOB) STRICT')
  const sizeOf = (file: string) => statSync(file).size
  return { db, fileBytes: () => sizeOf(path), walBytes: () => sizeOf(`${path}-wal`) }
}

it('leaves a large commit in the WAL until it is told to move it', () => {
  using folder = tempFolder()
  const { db, fileBytes } = openEmpty(folder.path)
  using _ = db
  withLateCheckpoint(db, () => addBytes(db))
  expect(fileBytes()).toBeLessThan(MANY_BYTES)
  expect(db.prepare('SELECT length(value) AS length FROM t').get()).toEqual({ length: MANY_BYTES })
  checkpointLate(db)
  expect(fileBytes()).toBeGreaterThan(MANY_BYTES)
})

it('leaves other commits to SQLite, also after a transaction that failed', () => {
  using folder = tempFolder()
  const { db, fileBytes } = openEmpty(folder.path)
  using _ = db
  const fail = () => {
    throw new Error('refused')
  }
  expect(() => withLateCheckpoint(db, fail)).toThrow('refused')
  addBytes(db)
  expect(fileBytes()).toBeGreaterThan(MANY_BYTES)
})

it('ignores a checkpoint that fails, because the commit is on disk', () => {
  using folder = tempFolder()
  const { db } = openEmpty(folder.path)
  using _ = db
  withLateCheckpoint(db, () => addBytes(db))
  // A checkpoint is not possible within a transaction that has written.
  db.exec('BEGIN IMMEDIATE; INSERT INTO t VALUES (NULL)')
  expect(() => checkpointLate(db)).not.toThrow()
  db.exec('COMMIT')
})

it('keeps the size of the WAL for a minute after the last large commit', () => {
  vi.useFakeTimers()
  try {
    using folder = tempFolder()
    const { db, walBytes } = openEmpty(folder.path)
    using _ = db
    const addOne = () => db.exec('INSERT INTO t VALUES (NULL)')
    const addMany = () => {
      withLateCheckpoint(db, () => addBytes(db))
      checkpointLate(db)
    }
    addMany()
    vi.advanceTimersByTime(40_000)
    addMany()
    vi.advanceTimersByTime(40_000)
    addOne()
    expect(walBytes()).toBeGreaterThan(MANY_BYTES)
    addMany()
    vi.advanceTimersByTime(60_000)
    addOne()
    expect(walBytes()).toBeLessThan(MANY_BYTES)
    addMany()
  } finally {
    // After the database was closed.
    vi.advanceTimersByTime(60_000)
    vi.useRealTimers()
  }
})
