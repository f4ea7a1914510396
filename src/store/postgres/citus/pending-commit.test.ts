import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { openTransaction, runSql, untilBlocked } from '../../../../test/support/postgres.ts'
import { createFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import { NEVER_CLOSED } from '../../core/catalogue/object-tables.ts'
import { openPostgresStore } from '../postgres-store.ts'
import { CAPABILITIES, type Capabilities } from './capabilities.ts'

/** Publishes versions after their rows, as on Citus, but on plain PostgreSQL. */
const APART: Capabilities = { ...CAPABILITIES.citus, isDistributed: false }

let place: TestStore | undefined
afterEach(async () => {
  await place?.[Symbol.asyncDispose]()
  place = undefined
})

const url = () => place?.name ?? ''
const open = () => openPostgresStore(url(), { capabilities: APART })
const sql = (text: string) => runSql(url(), text)

/** Simulates a process that ended between the commit of version 2 and its publication. */
async function leaveUnpublished(): Promise<void> {
  await sql('UPDATE oqs_object_type SET last_version = 2')
  await sql(`INSERT INTO oqs_pending_commit SELECT id, 2, table_id, 1, 1, 1, 0, 1, 99
    FROM oqs_object_type`)
}

/** Adds the rows of version 2, which may become visible long after the commit. */
async function showRows(): Promise<void> {
  const copied = 'object_id, key, title, replace(body, \'"1"\', \'"2"\')'
  await sql(`UPDATE oqs_object_1 SET valid_to = 2 WHERE valid_to = ${NEVER_CLOSED}`)
  await sql(`INSERT INTO oqs_object_1 (pk, valid_from, object_id, key, title, body, checksum)
    SELECT pk, 2, ${copied}, checksum FROM oqs_object_1`)
}

/** Waits until something is to be published. */
async function untilPending(): Promise<void> {
  while ((await sql('SELECT 1 FROM oqs_pending_commit')).length === 0) await sleep(10)
}

describe('a version that is published after its rows', () => {
  it('is visible when the commit returns, like any other version', async () => {
    place = await createTestStore()
    await using store = await open()
    const things = await createFixture(store)
    const commits = Array.from({ length: 12 }, (_, n) => things.commit([['a', String(n)]]))
    const versions = (await Promise.all(commits)).map(({ version }) => version)
    expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1))
    expect(await things.commit([['a', 'last']])).toMatchObject({ version: 13, put: 1 })
    expect(await things.readPairs()).toEqual(['a=last'])
    expect(await things.readPage()).toMatchObject({ totalCount: 1, version: 13 })
    expect(await sql('SELECT * FROM oqs_pending_commit')).toEqual([])
  })

  it('is published when the store is opened again', async () => {
    place = await createTestStore()
    await using store = await open()
    const things = await createFixture(store)
    await things.commit([['a', '1']])
    await showRows()
    await leaveUnpublished()
    expect(await things.readPairs()).toEqual(['a=1'])
    await (await open())[Symbol.asyncDispose]()
    expect(await things.readPairs()).toEqual(['a=2'])
    expect(await things.readPairs({ version: 1 })).toEqual(['a=1'])
  })

  it('is not published before all its rows are visible; the next writer waits for them', async () => {
    place = await createTestStore()
    await using store = await open()
    const things = await createFixture(store)
    await things.commit([['a', '1']])
    await leaveUnpublished()
    await (await open())[Symbol.asyncDispose]()
    expect(await things.readPairs()).toEqual(['a=1'])
    const next = things.commit([['b', '3']])
    await showRows()
    expect(await next).toMatchObject({ version: 3 })
    expect(await things.readPairs()).toEqual(['a=2', 'b=3'])
    expect(await things.readPairs({ version: 2 })).toEqual(['a=2'])
  })

  it('precedes a replacement that is published after it', async () => {
    place = await createTestStore()
    await using store = await open()
    const things = await createFixture(store)
    await things.commit([['a', '1']])
    const replacement = await store.startReplacement(things.type)
    await things.commit([['z', '1']], { replacement })
    await things.commit([['a', '2']])
    const { version } = await store.publishReplacement(things.type, replacement)
    expect(await things.readPairs()).toEqual(['z=1'])
    expect(await things.readPairs({ version: version - 1 })).toEqual(['a=2'])
  })

  it.for(['replace', 'upsert'] as const)(
    'waits for all rows of a replacement: %s',
    async (mode) => {
      place = await createTestStore()
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([['a', '1']])
      const replacement = await store.startReplacement(things.type)
      await things.commit([['z', '1']], { replacement })
      const kept = mode === 'upsert' ? ['a=1'] : []
      // A transaction that has not ended on a machine holds locks. This one lets indexes be built.
      const unended = await openTransaction(url(), 'LOCK TABLE oqs_object_2 IN ACCESS SHARE MODE')
      const publication = store.publishReplacement(things.type, replacement, mode)
      await untilPending()
      await untilBlocked(url())
      expect(await things.readPairs()).toEqual(['a=1'])
      await unended[Symbol.asyncDispose]()
      expect(await publication).toMatchObject({ put: 1 })
      expect(await things.readPairs()).toEqual([...kept, 'z=1'])
      expect(await sql('SELECT * FROM oqs_pending_commit')).toEqual([])
    },
  )
})
