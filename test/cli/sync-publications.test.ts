/** What a sync requires of its publication, and how it follows what PostgreSQL does not replicate. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOqs } from '../support/oqs-process.ts'
import { ADMIN_TOKEN } from '../support/service.ts'
import { type SyncSource, startSyncSource } from '../support/sync-source.ts'

let source: SyncSource

beforeAll(async () => {
  source = await startSyncSource()
})
afterAll(() => source[Symbol.asyncDispose]())

describe('a publication that exists', () => {
  beforeAll(async () => {
    await source.sql(
      'CREATE TABLE parts (id int PRIMARY KEY, v int); INSERT INTO parts VALUES (1, 1)',
    )
  })

  const args = (slot: string) =>
    ['--table', 'parts', '--ontology', 'depot', '--type', slot, '--slot', slot, '--once'] as const

  it.each([
    ['filtered', 'FOR TABLE parts WHERE (id = 1)', 'has a row filter or a list of columns'],
    ['narrow', 'FOR TABLE parts (id)', 'has a row filter or a list of columns'],
    ['inserts', `FOR TABLE parts WITH (publish = 'insert')`, 'does not publish all of insert'],
    ['leaves', 'FOR TABLE parts', 'lacks publish_via_partition_root'],
    ['everything', 'FOR ALL TABLES', 'is for all tables'],
    ['schema', 'FOR TABLES IN SCHEMA public', 'is for all tables'],
  ])('is refused if it does not send every change: %s', async (slot, definition, flaw) => {
    await source.sql(`CREATE PUBLICATION ${slot} ${definition}`)
    const { code, stderr } = await source.sync(...args(slot))
    expect([code, stderr]).toEqual([1, expect.stringContaining(`The publication ${slot} ${flaw}`)])
    const [, statement = ''] = /replace it: (.*;)/.exec(stderr) ?? []
    await source.sql(statement)
    expect((await source.sync(...args(slot))).stderr).toContain('copied 1 object')
    await source.sync(...args(slot), '--drop-slot')
  })

  it('is refused if it was changed after the copy, and replaced by --restart', async () => {
    await source.sync(...args('changed'))
    await source.sql(`ALTER PUBLICATION changed SET (publish = 'insert'); UPDATE parts SET v = 2`)
    const { code, stderr } = await source.sync(...args('changed'))
    expect([code, stderr]).toEqual([1, expect.stringMatching(/does not publish.*--restart/)])
    expect((await source.sync(...args('changed'), '--restart')).code).toBe(0)
    await source.sql('UPDATE parts SET v = 3')
    await source.sync(...args('changed'))
    expect(await source.objects('depot', 'changed')).toEqual([{ id: 1, v: 3 }])
    await source.sync(...args('changed'), '--drop-slot')
  })
})

describe('partitions', () => {
  const EVENTS = ['--table', 'events', '--ontology', 'log', '--type', 'event']

  async function followed(statements: string): Promise<string> {
    await source.sql(statements)
    const { code, stderr } = await source.sync(...EVENTS, '--once')
    expect([code, stderr]).toEqual([0, expect.stringContaining('caught up')])
    const rows = await source.sql('SELECT id FROM events ORDER BY id')
    expect(await source.objects('log', 'event')).toEqual(rows)
    return stderr
  }

  beforeAll(async () => {
    await source.sql(`CREATE TABLE events (id int PRIMARY KEY) PARTITION BY RANGE (id);
      DO $$ BEGIN FOR g IN 0..5 LOOP EXECUTE format(
        'CREATE TABLE events_%s PARTITION OF events FOR VALUES FROM (%s) TO (%s)', g, g * 10, g * 10 + 10);
      END LOOP; END $$;
      INSERT INTO events SELECT generate_series(0, 59, 5)`)
    await source.sync(...EVENTS, '--once')
  })

  it.each([
    ['dropped', 'DROP TABLE events_0', 'dropped or detached'],
    ['detached', 'ALTER TABLE events DETACH PARTITION events_1', 'dropped or detached'],
    ['truncated', 'TRUNCATE events_2', 'truncated or rewritten'],
    [
      'attached',
      'ALTER TABLE events ATTACH PARTITION events_1 FOR VALUES FROM (10) TO (20)',
      'attached',
    ],
  ])('that are %s lead to another copy', async (_, statement, reason) => {
    const stderr = await followed(
      `${statement}; INSERT INTO events VALUES (51) ON CONFLICT DO NOTHING`,
    )
    expect(stderr).toContain(`public.events is copied again: a partition of it was ${reason}`)
    expect(await followed('DELETE FROM events WHERE id = 51')).not.toContain('copied')
  })

  it('that are created are followed without a copy, and their end is noticed', async () => {
    const created = 'CREATE TABLE events_6 PARTITION OF events FOR VALUES FROM (60) TO (70)'
    expect(await followed(`${created}; INSERT INTO events VALUES (60)`)).not.toContain('copied')
    expect(await followed('TRUNCATE events; INSERT INTO events VALUES (31), (62)')).toContain(
      'truncated',
    )
    expect(await followed('DROP TABLE events_6')).toContain('dropped or detached')
  })

  it('that are dropped while the sync runs are noticed', async () => {
    const settings = { OQS_URL: source.service.url, OQS_TOKEN: ADMIN_TOKEN }
    await followed('INSERT INTO events VALUES (30), (40)')
    await using sync = startOqs(['sync', source.server.url, ...EVENTS], settings)
    await expect.poll(() => sync.stderr(), { timeout: 60_000 }).toContain('caught up')
    await source.sql('DROP TABLE events_3')
    const ids = async () => (await source.objects('log', 'event')).map(({ id }) => id)
    await expect.poll(ids, { timeout: 60_000 }).not.toContain(30)
    await source.sql('INSERT INTO events VALUES (42)')
    await expect.poll(ids, { timeout: 60_000 }).toContain(42)
    sync.child.kill('SIGTERM')
    expect(await sync.ended).toBe(0)
  })
})

it('stops when the primary key of a table is another one', async () => {
  await source.sql(`CREATE TABLE keyed (id int PRIMARY KEY, alt int UNIQUE NOT NULL);
    INSERT INTO keyed VALUES (1, 101), (2, 102)`)
  const settings = { OQS_URL: source.service.url, OQS_TOKEN: ADMIN_TOKEN }
  const args = ['--table', 'keyed', '--ontology', 'keyed', '--type', 'one']
  await using sync = startOqs(['sync', source.server.url, ...args], settings)
  await expect.poll(() => sync.stderr(), { timeout: 60_000 }).toContain('caught up')
  await source.sql(`ALTER TABLE keyed DROP CONSTRAINT keyed_pkey, ADD PRIMARY KEY (alt);
    UPDATE keyed SET id = 1 WHERE alt = 102; DELETE FROM keyed WHERE alt = 102`)
  expect(await sync.ended).toBe(1)
  expect(sync.stderr()).toMatch(/public\.keyed cannot be followed any more: The primary key of one/)
  expect(await source.objects('keyed', 'one')).toHaveLength(2)
})

it('mentions idle slots of the same ontology only, and none if the name was passed', async () => {
  await source.sql('CREATE TABLE goods (id int PRIMARY KEY)')
  await source.sql(`SELECT pg_create_logical_replication_slot('short', 'pgoutput')`)
  const GOODS = ['--table', 'goods', '--ontology', 'store', '--type', 'good', '--once']
  expect((await source.sync(...GOODS, '--slot', 'other')).stderr).not.toContain('short')
  await source.sync(...GOODS, '--restart')
  const [row] = await source.sql(
    `SELECT slot_name AS name FROM pg_replication_slots WHERE slot_name LIKE 'oqs_sync_store_good_%'`,
  )
  const earlier = String(row?.['name']).replace(/.{8}$/, 'aaaaaaaa')
  await source.sql(`SELECT pg_create_logical_replication_slot('${earlier}', 'pgoutput')`)
  const { stderr } = await source.sync(...GOODS, '--restart')
  expect(stderr).toContain(
    `if no service uses it any more, drop it with --drop-slot --slot ${earlier}`,
  )
})
