import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOqs } from '../support/oqs-process.ts'
import { startPostgresServer } from '../support/postgres-server.ts'
import { runCommand } from '../support/run-in-process.ts'
import { ADMIN_TOKEN } from '../support/service.ts'
import { type SyncSource, startSyncSource } from '../support/sync-source.ts'

let source: SyncSource

beforeAll(async () => {
  source = await startSyncSource()
  await source.sql(`CREATE TABLE parts (id int PRIMARY KEY, name text, amount int);
    CREATE TABLE notes (line text); INSERT INTO parts VALUES (1, 'bolt', 3)`)
})
afterAll(() => source[Symbol.asyncDispose]())

const PART = ['--table', 'public.parts', '--ontology', 'depot', '--type', 'part']

async function failing(...args: string[]): Promise<string> {
  const { code, stderr } = await source.sync(...args, '--once')
  expect(code).toBe(1)
  return stderr
}

describe('a sync that cannot start', () => {
  it('names a table that does not exist, and those that do', async () => {
    const args = ['--table', 'public.part', '--ontology', 'depot', '--type', 'part']
    expect(await failing(...args)).toContain(
      'The source has no table public.part. Its tables are: public.parts, public.notes.',
    )
  })

  it('refuses a table without a primary key', async () => {
    const args = ['--table', 'notes', '--ontology', 'depot', '--type', 'note']
    expect(await failing(...args)).toContain(
      'public.notes cannot be followed: it has no primary key',
    )
  })

  it('says how to turn on logical decoding', async () => {
    await using server = await startPostgresServer()
    const settings = { OQS_URL: source.service.url, OQS_TOKEN: ADMIN_TOKEN }
    const { code, stderr } = await runCommand(['sync', server.url, ...PART], settings)
    expect([code, stderr]).toEqual([1, expect.stringContaining('Set wal_level=logical')])
  })

  it('refuses wrong usage', async () => {
    const { code, stderr } = await source.sync('--ontology', 'depot', '--table', 'parts')
    expect([code, stderr]).toEqual([2, expect.stringContaining('belong together')])
  })

  it('does not replace objects that no sync has written', async () => {
    await source.service.apply({
      apiName: 'depot',
      objectTypes: [{ apiName: 'part', primaryKey: 'id', properties: { id: { type: 'integer' } } }],
    })
    await source.service.put('depot', 'part', [{ id: 99 }])
    expect(await failing(...PART)).toContain('depot has 1 object of type part that no sync')
    expect((await source.sync(...PART, '--once', '--restart')).code).toBe(0)
    expect(await source.objects('depot', 'part')).toEqual([{ id: 1, name: 'bolt', amount: 3 }])
  })
})

describe('a source that changes', () => {
  it('has new columns taken', async () => {
    await source.sql(`ALTER TABLE parts ADD color text; UPDATE parts SET color = 'red', amount = 4`)
    const { code, stderr } = await source.sync(...PART, '--once')
    expect([code, stderr]).toEqual([0, expect.stringContaining('the new column color is taken')])
    expect(await source.objects('depot', 'part')).toEqual([
      { id: 1, name: 'bolt', amount: 4, color: 'red' },
    ])
  })

  it('stops the sync when a column gets another type', async () => {
    await source.sql('ALTER TABLE parts ALTER amount TYPE text')
    expect(await failing(...PART)).toContain('property amount of part has type integer')
    await source.sql('ALTER TABLE parts ALTER amount TYPE int USING amount::int')
  })

  it('stops a running sync when the slot is gone', async () => {
    const settings = { OQS_URL: source.service.url, OQS_TOKEN: ADMIN_TOKEN }
    const args = ['sync', source.server.url, ...PART]
    {
      await using sync = startOqs(args, settings)
      await expect.poll(() => sync.stderr()).toContain('caught up')
      await source.sql(`SELECT pg_terminate_backend(active_pid), pg_sleep(0.1) FROM pg_replication_slots;
        SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots`)
      expect(await sync.ended).toBe(1)
      expect(sync.stderr()).toContain('was dropped, so changes may be missing')
    }
    // The next run copies again.
    expect((await source.sync(...PART, '--once')).stderr).toContain('copied 1 object')
  })
})

it('stops after SIGTERM with status 0, and goes on in the next run', async () => {
  const settings = { OQS_URL: source.service.url, OQS_TOKEN: ADMIN_TOKEN }
  await using sync = startOqs(['sync', source.server.url, ...PART], settings)
  await expect.poll(() => sync.stderr()).toContain('caught up')
  await source.sql(`INSERT INTO parts VALUES (3, 'gear', 1)`)
  await expect.poll(() => source.objects('depot', 'part')).toHaveLength(2)
  sync.child.kill('SIGTERM')
  expect(await sync.ended).toBe(0)
  const { stderr } = await source.sync(...PART, '--once')
  expect(stderr).toContain('wrote 0 transactions')
})
