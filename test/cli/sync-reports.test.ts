/** What a sync reports about itself, as the status of the service shows it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOqs } from '../support/oqs-process.ts'
import { ADMIN_TOKEN } from '../support/service.ts'
import { type SyncSource, startSyncSource } from '../support/sync-source.ts'

let source: SyncSource
beforeAll(async () => {
  source = await startSyncSource()
})
afterAll(() => source[Symbol.asyncDispose]())

const args = (schema: string) => ['--tables', `${schema}.*`, '--ontology', schema]

/** Returns the report about the sync of an ontology. */
async function reportOf(ontology: string) {
  const { body } = await source.service.send('/api/admin/v1/status')
  return body.sources.find((one: { ontology: string }) => one.ontology === ontology)
}

/** Starts a sync that follows until it is disposed. */
const follow = (schema: string) =>
  startOqs(['sync', source.server.url, ...args(schema)], {
    OQS_URL: source.service.url,
    OQS_TOKEN: ADMIN_TOKEN,
  })

const SOON = { timeout: 60_000 }

describe('the report of a sync', () => {
  it('says that it follows, without lag, and that it has ended', async () => {
    await source.sql(`CREATE SCHEMA quiet; CREATE TABLE quiet.one (id int PRIMARY KEY);
      CREATE TABLE quiet.two (id int PRIMARY KEY); INSERT INTO quiet.one VALUES (1)`)
    {
      await using sync = follow('quiet')
      const following = { state: 'following', once: false, tables: 2, stoppedTables: [] }
      await expect
        .poll(() => reportOf('quiet'), SOON)
        .toMatchObject({ ...following, lagBytes: 0, lagSeconds: 0 })
      const { source: name, retainedBytes } = await reportOf('quiet')
      expect(name).toMatch(/^oqs_sync_quiet_quiet_[0-9a-f]{8}\.\d+$/)
      expect(retainedBytes).toBeGreaterThanOrEqual(0)
      sync.child.kill('SIGTERM')
      await sync.ended
    }
    expect(await reportOf('quiet')).toMatchObject({ state: 'ended' })
  })

  it('names tables that have stopped, and says how far the sync had come', async () => {
    await source.sql(`CREATE SCHEMA odd; CREATE TABLE odd.kept (id int PRIMARY KEY);
      CREATE TABLE odd.changed (id int PRIMARY KEY, value int); INSERT INTO odd.changed VALUES (1, 1)`)
    await source.sync(...args('odd'), '--once')
    await source.sql('ALTER TABLE odd.changed ALTER value TYPE text')
    await source.sync(...args('odd'), '--once')
    expect(await reportOf('odd')).toMatchObject({
      state: 'ended',
      once: true,
      tables: 1,
      lagBytes: expect.any(Number),
      lagSeconds: expect.any(Number),
      stoppedTables: [{ table: 'odd.changed', reason: expect.stringMatching(/value/) }],
    })
  })

  it('says why it has failed, and goes with its slot', async () => {
    await source.sql('CREATE SCHEMA lost; CREATE TABLE lost.one (id int PRIMARY KEY)')
    await source.sync(...args('lost'), '--once')
    const [{ name }] = (await source.sql(
      `SELECT slot_name AS name FROM pg_replication_slots WHERE starts_with(slot_name, 'oqs_sync_lost')`,
    )) as [{ name: string }]
    await source.sql(`DROP PUBLICATION ${name}`)
    const { code } = await source.sync(...args('lost'), '--once')
    expect(code).toBe(1)
    expect(await reportOf('lost')).toMatchObject({
      state: 'failed',
      problem: expect.stringMatching(/^The publication .* was dropped.* --restart/),
    })
    await source.sync(...args('lost'), '--drop-slot')
    expect(await reportOf('lost')).toBeUndefined()
  })
})
