import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openWriterConnection } from './connection.ts'
import { createDatabaseFile } from './database-file.ts'

it('makes the WAL small again after a large commit', () => {
  using folder = tempFolder()
  const path = createDatabaseFile(join(folder.path, 'oqs.db'))
  using db = openWriterConnection(path)
  db.exec('CREATE TABLE t (x); INSERT INTO t VALUES (randomblob(20000000))')
  const large = statSync(`${path}-wal`).size
  db.exec('INSERT INTO t VALUES (1)')
  expect(large).toBeGreaterThan(20_000_000)
  expect(statSync(`${path}-wal`).size).toBeLessThan(5_000_000)
})
