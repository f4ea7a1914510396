import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openWriterConnection } from '../file/connection.ts'
import { createDatabaseFile, OpenFiles } from '../file/database-file.ts'
import { StoreGuard } from '../file/store-guard.ts'
import { createThreads } from '../threads/store-threads.ts'
import { Checkpoints } from './checkpoints.ts'

/** Writes some bytes, notes a number of small writes, and returns what the thread has moved. */
async function checkpointed(bytes: number, note: (checkpoints: Checkpoints) => void) {
  using folder = tempFolder()
  const path = createDatabaseFile(join(folder.path, 'oqs.db'))
  using db = openWriterConnection(path)
  db.exec(`CREATE TABLE t (x); INSERT INTO t VALUES (randomblob(${bytes}))`)
  using guard = new StoreGuard(new OpenFiles(path))
  const { checkpointer } = createThreads(path, {})
  note(new Checkpoints(guard, checkpointer))
  // Ends after the jobs that were sent.
  await checkpointer[Symbol.asyncDispose]()
  const { log, checkpointed: moved } = db.prepare('PRAGMA wal_checkpoint(NOOP)').get() ?? {}
  return { log: Number(log), moved: Number(moved) }
}

it('moves a long WAL to the database on another thread, after small writes', async () => {
  const { log, moved } = await checkpointed(5_000_000, (checkpoints) => checkpoints.noteWrites(32))
  expect(log).toBeGreaterThan(500)
  expect(moved).toBe(log)
})

it('leaves a short WAL as it is', async () => {
  const { log, moved } = await checkpointed(1_000_000, (checkpoints) => checkpoints.noteWrites(32))
  expect(log).toBeGreaterThan(100)
  expect(moved).toBe(0)
})

it('moves even a short WAL after a step of a long write', async () => {
  const { log, moved } = await checkpointed(1_000_000, (checkpoints) => checkpoints.noteStep())
  expect(moved).toBe(log)
})

it('starts nothing after it was closed', async () => {
  const { moved } = await checkpointed(5_000_000, (checkpoints) => {
    checkpoints.close()
    checkpoints.noteWrites(32)
  })
  expect(moved).toBe(0)
})
