import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type OqsProcess, startOqs } from '../support/oqs-process.ts'
import { runCommand } from '../support/run-in-process.ts'
import { ADMIN_TOKEN } from '../support/service.ts'
import { type SyncSource, startSyncSource } from '../support/sync-source.ts'

let source: SyncSource
/** Each test has a table and a type of its own. */
let number = 0

beforeAll(async () => {
  source = await startSyncSource({
    max_slot_wal_keep_size: '1MB',
    max_replication_slots: '40',
    max_wal_senders: '40',
  })
})
afterAll(() => source[Symbol.asyncDispose]())
beforeEach(async () => {
  number += 1
  await source.sql(`CREATE TABLE ${table()} (id int PRIMARY KEY, name text, amount int);
    INSERT INTO ${table()} VALUES (1, 'bolt', 3)`)
})

const table = () => `parts${number}`
const args = () => ['--table', table(), '--ontology', 'depot', '--type', table()]
const settings = () => ({ OQS_URL: source.service.url, OQS_TOKEN: ADMIN_TOKEN })
const objects = () => source.objects('depot', table())

async function startSync(): Promise<OqsProcess> {
  const sync = startOqs(['sync', source.server.url, ...args()], settings())
  await expect.poll(() => sync.stderr()).toContain('caught up')
  return sync
}

/** Runs statements in the source, and returns what the sync says when it ends. */
async function endedBy(...statements: string[]): Promise<string> {
  await using sync = await startSync()
  for (const statement of statements) await source.sql(statement)
  expect(await sync.ended).toBe(1)
  return sync.stderr()
}

/** Ends the connection of the sync, and waits until the slot is free. */
const CUT = `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE active`

it('connects again when the connection to the source is lost', async () => {
  await using sync = await startSync()
  await source.sql(CUT)
  await source.sql(`INSERT INTO ${table()} VALUES (2, 'nut', 1)`)
  await expect.poll(objects).toHaveLength(2)
  expect(sync.child.exitCode).toBeNull()
})

it('says how to go on after the publication was dropped', async () => {
  const stderr = await endedBy(
    `DO $$ BEGIN EXECUTE (SELECT 'DROP PUBLICATION ' || pubname FROM pg_publication WHERE pubname LIKE '%${table()}%'); END $$`,
    `INSERT INTO ${table()} VALUES (2, 'nut', 1)`,
  )
  expect(stderr).toMatch(/The publication oqs_sync_depot_parts\d+_\w+ was dropped.*--restart/)
  expect((await source.sync(...args(), '--once')).stderr).toContain('--restart')
  expect((await source.sync(...args(), '--once', '--restart')).code).toBe(0)
  expect(await objects()).toHaveLength(2)
})

it('notices that the publication was created again', async () => {
  await source.sync(...args(), '--once')
  const [{ name } = {}] = await source.sql(
    `SELECT pubname AS name FROM pg_publication WHERE pubname LIKE '%${table()}%'`,
  )
  await source.sql(`DROP PUBLICATION ${name}`)
  await source.sql(`UPDATE ${table()} SET amount = 9`)
  await source.sql(
    `CREATE PUBLICATION ${name} FOR TABLE ${table()} WITH (publish_via_partition_root = true)`,
  )
  const { code, stderr } = await source.sync(...args(), '--once')
  expect([code, stderr]).toEqual([1, expect.stringMatching(/was created again.*--restart/)])
})

describe('a type that another sync writes to', () => {
  const rival = () => [...args(), '--slot', `rival${number}`]

  it('is not replaced without --restart', async () => {
    await source.sync(...args(), '--once')
    const { code, stderr } = await source.sync(...rival(), '--once')
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /1 object of type parts\d+ that another sync has written.*oqs_sync_depot/,
      ),
    ])
  })

  it('is not followed any more, in this run and the next', async () => {
    await using sync = await startSync()
    expect((await source.sync(...rival(), '--once', '--restart')).code).toBe(0)
    expect(await sync.ended).toBe(1)
    const reason = `has the rows of another sync, with the replication slot rival${number}.`
    expect(sync.stderr()).toContain(reason)
    expect((await source.sync(...args(), '--once')).stderr).toContain(reason)
    expect((await source.sync(...args(), '--once', '--restart')).code).toBe(0)
    expect((await source.sync(...rival(), '--once')).stderr).toContain('oqs_sync_depot')
  })
})

it('does not change a type that it refuses', async () => {
  await source.service.apply({
    apiName: `shed${number}`,
    objectTypes: [
      { apiName: 'other', primaryKey: 'code', properties: { code: { type: 'string' } } },
      { apiName: 'same', primaryKey: 'id', properties: { id: { type: 'integer' } } },
    ],
  })
  await source.service.put(`shed${number}`, 'same', [{ id: 7 }])
  for (const type of ['other', 'same']) {
    const wanted = ['--table', table(), '--ontology', `shed${number}`, '--type', type]
    expect((await source.sync(...wanted, '--once')).code).toBe(1)
  }
  const { body } = await source.service.send(`/api/admin/v1/ontologies/shed${number}`)
  const names = body.objectTypes.map(({ properties }: { properties: object }) =>
    Object.keys(properties),
  )
  expect(names).toEqual([['code'], ['id']])
})

it('copies again after --drop-slot, which says if there was nothing to drop', async () => {
  await source.sync(...args(), '--once')
  expect((await source.sync(...args(), '--drop-slot')).stderr).toContain('dropped the replication')
  expect((await source.sync(...args(), '--drop-slot')).stderr).toContain('there is no replication')
  await source.sql(`UPDATE ${table()} SET amount = 9`)
  expect((await source.sync(...args(), '--once')).code).toBe(0)
  expect(await objects()).toMatchObject([{ amount: 9 }])
})

it('says how to go on after the source has removed changes', async () => {
  await source.sync(...args(), '--once')
  await source.sql(`CREATE TABLE IF NOT EXISTS filler (line text)`)
  const slot = async () =>
    (
      await source.sql(
        `SELECT wal_status FROM pg_replication_slots WHERE slot_name LIKE '%${table()}%'`,
      )
    )[0]?.['wal_status']
  while ((await slot()) !== 'lost') {
    await source.sql(`INSERT INTO filler SELECT repeat('x', 1000) FROM generate_series(1, 5000)`)
    await source.sql('SELECT pg_switch_wal()')
    await source.sql('CHECKPOINT')
  }
  const { code, stderr } = await source.sync(...args(), '--once')
  expect([code, stderr]).toEqual([1, expect.stringContaining('max_slot_wal_keep_size')])
  expect((await source.sync(...args(), '--once', '--restart')).code).toBe(0)
})

it('stops when a column gets a type that its property cannot hold', async () => {
  const stderr = await endedBy(
    `ALTER TABLE ${table()} ALTER amount TYPE text`,
    `INSERT INTO ${table()} VALUES (2, 'nut', 1)`,
  )
  expect(stderr).toMatch(/cannot be followed any more: The property amount .* has type integer/)
})

it('follows a table with a full replica identity', async () => {
  await using _sync = await startSync()
  await source.sql(`ALTER TABLE ${table()} REPLICA IDENTITY FULL`)
  await source.sql(`UPDATE ${table()} SET id = 7, amount = 8`)
  await expect.poll(objects).toEqual([{ id: 7, name: 'bolt', amount: 8 }])
})

it('says which rights the role lacks', async () => {
  const role = `reader${number}`
  await source.sql(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`)
  const url = new URL(source.server.url)
  url.username = role
  url.password = 'secret'
  const sync = () => runCommand(['sync', url.href, ...args(), '--once'], settings())
  expect((await sync()).stderr).toMatch(/Run this as the owner.*CREATE PUBLICATION/)
  const [, statement = ''] = /again: (CREATE PUBLICATION .*;)/.exec((await sync()).stderr) ?? []
  await source.sql(statement)
  expect((await sync()).stderr).toContain(`ALTER ROLE "${role}" REPLICATION`)
  await source.sql(`ALTER ROLE ${role} REPLICATION`)
  const { stderr } = await sync()
  expect(stderr).toContain(`GRANT SELECT ON "public"."${table()}" TO "${role}"`)
  expect(stderr).toMatch(/the publication (\w+) stays in the source.* DROP PUBLICATION \1/)
  await source.sql(`GRANT SELECT ON ${table()} TO ${role}`)
  expect((await sync()).code).toBe(0)
})

it('writes what precedes a row that the type refuses, and names the row', async () => {
  await source.sync(...args(), '--once')
  await source.sql(`INSERT INTO ${table()} VALUES (2, 'nut', 1)`)
  await source.sql(`INSERT INTO ${table()} VALUES (3, repeat('long', 1100000), 1)`)
  const { code, stderr } = await source.sync(...args(), '--once')
  expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be followed any more')])
  expect(stderr).toMatch(/its type parts\d+ refuses the row 3: .*run the command again/)
  expect(stderr).not.toContain('longlong')
  expect(await objects()).toHaveLength(2)
})

describe('a row whose key no object can have', () => {
  it.each([
    ['text', `''`, `'a'`, 'is empty'],
    ['text', `repeat('long', 200)`, `'a'`, 'is longer than 512 bytes'],
    ['float8', `'NaN'`, '7.5', 'is NaN'],
    ['date', `'infinity'`, `'2026-01-31'`, 'is no date'],
  ])('of type %s, %s, is left out until it gets another key', async (type, unfit, fit, reason) => {
    await source.sql(`ALTER TABLE ${table()} ALTER id TYPE text; DELETE FROM ${table()};
      ALTER TABLE ${table()} ALTER id TYPE ${type} USING id::${type};
      INSERT INTO ${table()} VALUES (${unfit}, 'copied', 1)`)
    await using sync = await startSync()
    expect(sync.stderr()).toContain(
      `public.${table()}: a row is left out, because its primary key ${reason}`,
    )
    expect(await objects()).toEqual([])
    await source.sql(`UPDATE ${table()} SET amount = 2`)
    await source.sql(`UPDATE ${table()} SET id = ${fit}`)
    await expect.poll(objects).toMatchObject([{ name: 'copied', amount: 2 }])
    await source.sql(`UPDATE ${table()} SET id = ${unfit}`)
    await expect.poll(objects).toEqual([])
    await source.sql(`DELETE FROM ${table()}; INSERT INTO ${table()} VALUES (${fit}, 'last', 3)`)
    await expect.poll(objects).toMatchObject([{ name: 'last' }])
    expect(sync.stderr()).not.toContain('longlong')
  })
})

it('stops after SIGINT with status 0', async () => {
  await using sync = await startSync()
  sync.child.kill('SIGINT')
  expect(await sync.ended).toBe(0)
  expect(sync.stderr()).toMatch(/wrote 0 transactions, up to [0-9A-F]+\/[0-9A-F]+/)
})
