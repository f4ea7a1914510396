import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pageRequest } from '../../../../test/support/store-fixture.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { planChange } from '../../../ontology/definition/change-definition.ts'
import type { ReadPageRequest } from '../../object-store.ts'
import { openSqliteStore } from '../open.ts'
import { ReaderProcess, type ReaderProcessOptions } from './reader-process.ts'

const DEFINITION = {
  apiName: 'wide',
  objectTypes: [
    { apiName: 'item', primaryKey: 'id', properties: { id: { type: 'string' as const } } },
  ],
}

/** Runs a job in a reader process on a store with one object type. */
async function run(
  options: Omit<ReaderProcessOptions, 'path'>,
  job: (reader: ReaderProcess, read: ReadPageRequest) => Promise<unknown>,
): Promise<unknown> {
  using folder = tempFolder()
  const path = join(folder.path, 'oqs.db')
  await using store = openSqliteStore(path)
  const change = planChange('wide', DEFINITION, await store.readCatalogue(), randomUUID)
  await store.saveOntology(change)
  const [type] = change.ontology.objectTypes.values()
  if (type === undefined) throw new Error('no type')
  await using reader = new ReaderProcess({ ...options, path })
  await reader.untilReady()
  return await job(reader, pageRequest(type))
}

const ENOUGH_BYTES = 1024 ** 3

describe('a reader process', () => {
  it('runs a job', async () => {
    const page = run({ maxBytes: ENOUGH_BYTES }, (reader, read) => reader.run('readPage', read))
    expect(await page).toMatchObject({ count: 0 })
  })

  it('refuses a query whose JavaScript values exceed the heap limit', async () => {
    const values = Array.from({ length: 1_000_000 }, () => ({}))
    const exits: unknown[] = []
    const onExit = (exit: unknown) => exits.push(exit)
    const options = { maxBytes: ENOUGH_BYTES, maxHeapMb: 24, onExit }
    const page = run(options, (reader, read) => reader.run('readPage', { ...read, values }))
    await expect(page).rejects.toMatchObject({ errorName: 'QueryMemoryExceededLimit' })
    const exit = { readerPid: expect.any(Number), status: undefined, signal: 'SIGABRT' }
    expect(exits).toEqual([exit])
  })

  it('is killed when it exceeds its memory limit', async () => {
    const jobs = run({ maxBytes: 1 }, async (reader, read) => {
      while (!reader.hasEnded) await reader.run('readPage', read)
      throw new Error('ended between two jobs')
    })
    await expect(jobs).rejects.toThrow(/QueryMemoryExceededLimit|ServiceUnavailable|ended/)
  })

  it('fails with 503 when it ends for any other reason', async () => {
    const exits: unknown[] = []
    const onExit = (exit: unknown) => exits.push(exit)
    const page = run({ maxBytes: ENOUGH_BYTES, onExit }, (reader, read) => {
      // Killed first: a process that is sent the job earlier may answer it before it ends.
      reader.kill()
      return reader.run('readPage', read)
    })
    await expect(page).rejects.toMatchObject({ errorName: 'ServiceUnavailable' })
    // The service killed it.
    expect(exits).toEqual([])
  })
})
