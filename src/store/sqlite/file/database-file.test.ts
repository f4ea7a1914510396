import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canSeeLocks, holdsLock } from '../../../../test/support/file-locks.ts'
import { type TempFolder, tempFolder } from '../../../../test/support/temp-folder.ts'
import { openSqliteStore } from '../open.ts'
import { openConnection } from './connection.ts'
import { createDatabaseFile, isEmptied, OpenFiles } from './database-file.ts'

let folder: TempFolder
beforeEach(() => {
  folder = tempFolder()
})
afterEach(() => folder[Symbol.dispose]())
const inFolder = (name: string) => join(folder.path, name)

function openRead(path: string) {
  const db = openConnection(path)
  db.prepare('SELECT count(*) FROM sqlite_schema').get()
  return db
}

describe('a database file', () => {
  it('can be read only by its owner, and so can the files beside it', () => {
    using _ = openRead(createDatabaseFile(inFolder('deep/er/oqs.db')))
    const modes = readdirSync(inFolder('deep/er')).map((name) => [
      name,
      statSync(inFolder(`deep/er/${name}`)).mode & 0o777,
    ])
    expect(modes).toEqual([
      ['oqs.db', 0o600],
      ['oqs.db-shm', 0o600],
      ['oqs.db-wal', 0o600],
    ])
  })

  it('is not touched if it exists, and keeps the lock of this process', () => {
    const path = createDatabaseFile(inFolder('oqs.db'))
    using _ = openRead(path)
    expect(createDatabaseFile(path)).toBe(path)
    openRead(path).close()
    if (canSeeLocks) expect(holdsLock(process.pid, path)).toBe(true)
    else expect(existsSync(`${path}-wal`)).toBe(true)
  })

  it('is created at the target of a symbolic link, with the WAL beside it', () => {
    mkdirSync(inFolder('disk'))
    symlinkSync('disk/real.db', inFolder('oqs.db'))
    const path = createDatabaseFile(inFolder('oqs.db'))
    expect(path).toMatch(/disk\/real\.db$/)
    expect(createDatabaseFile(inFolder('oqs.db'))).toBe(path)
    using _ = openRead(path)
    using files = new OpenFiles(path)
    expect(files.areInPlace()).toBe(true)
    expect(readdirSync(folder.path).sort()).toEqual(['disk', 'oqs.db'])
  })

  it('is refused if symbolic links form a loop', () => {
    symlinkSync('b.db', inFolder('a.db'))
    symlinkSync('a.db', inFolder('b.db'))
    expect(() => createDatabaseFile(inFolder('a.db'))).toThrow('ELOOP')
  })

  it('is not created by a connection', () => {
    expect(() => openConnection(inFolder('oqs.db'))).toThrow('unable to open database file')
    expect(readdirSync(folder.path)).toEqual([])
  })

  it('may have any name', async () => {
    const name = 'ä %41?mode=ro#x&y.db'
    await openSqliteStore(inFolder(name))[Symbol.asyncDispose]()
    expect(readdirSync(folder.path)).toEqual([name])
  })
})

describe('the files of an open database', () => {
  it.for(['', '-wal', '-shm'])('are noticed when oqs.db%s is moved or replaced', (suffix) => {
    const path = createDatabaseFile(inFolder('oqs.db'))
    using _ = openRead(path)
    using files = new OpenFiles(path)
    expect(files.areInPlace()).toBe(true)
    renameSync(path + suffix, inFolder('elsewhere'))
    expect(files.areInPlace()).toBe(false)
    writeFileSync(path + suffix, '')
    expect(files.areInPlace()).toBe(false)
    renameSync(inFolder('elsewhere'), path + suffix)
    expect(files.areInPlace()).toBe(true)
  })

  it('stay the same while connections open and close, and after a checkpoint', () => {
    const path = createDatabaseFile(inFolder('oqs.db'))
    using db = openRead(path)
    using files = new OpenFiles(path)
    openRead(path).close()
    db.exec('CREATE TABLE t (x); INSERT INTO t VALUES (1); PRAGMA wal_checkpoint(TRUNCATE)')
    expect(statSync(`${path}-wal`).size).toBe(0)
    expect(files.areInPlace()).toBe(true)
    expect(files.isWalIntact()).toBe(true)
  })

  it('have an intact WAL until it is truncated under a connection that goes on writing', () => {
    const path = createDatabaseFile(inFolder('oqs.db'))
    using db = openRead(path)
    using files = new OpenFiles(path)
    expect(files.isWalIntact()).toBe(true)
    db.exec('CREATE TABLE t (x)')
    expect(files.isWalIntact()).toBe(true)
    truncateSync(`${path}-wal`)
    // SQLite itself reports no error.
    db.exec('INSERT INTO t VALUES (1)')
    expect(files.isWalIntact()).toBe(false)
  })
})

describe('an empty file', () => {
  it('is a new database if it has no WAL', () => {
    const path = createDatabaseFile(inFolder('oqs.db'))
    expect(isEmptied(path)).toBe(false)
    using db = openRead(path)
    db.exec('CREATE TABLE t (x)')
    expect(isEmptied(path)).toBe(false)
  })

  it('is damaged if it has a WAL, which is kept', () => {
    const path = inFolder('oqs.db')
    writeFileSync(path, '')
    writeFileSync(`${path}-wal`, 'commits that are not in the file yet')
    expect(() => openSqliteStore(path)).toThrow(
      expect.objectContaining({ errorName: 'ServiceUnavailable' }),
    )
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
    truncateSync(`${path}-wal`)
    expect(isEmptied(path)).toBe(false)
  })
})
