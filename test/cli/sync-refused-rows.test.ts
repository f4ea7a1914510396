/** Rows that their types refuse stop their tables, and no others. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOqs } from '../support/oqs-process.ts'
import { ADMIN_TOKEN } from '../support/service.ts'
import { type SyncSource, startSyncSource } from '../support/sync-source.ts'

let source: SyncSource
beforeAll(async () => {
  source = await startSyncSource()
})
afterAll(() => source[Symbol.asyncDispose]())

const SOON = { timeout: 60_000 }
/** Longer than an object can be. */
const LONG = `repeat('long', 1100000)`
const args = (schema: string) => ['--tables', `${schema}.*`, '--ontology', schema]

async function createTables(schema: string): Promise<void> {
  await source.sql(`CREATE SCHEMA ${schema};
    CREATE TABLE ${schema}.notes (id int PRIMARY KEY, text text);
    CREATE TABLE ${schema}.parts (id int PRIMARY KEY, name text);
    CREATE TABLE ${schema}.tools (id int PRIMARY KEY, name text);
    INSERT INTO ${schema}.notes SELECT n, 'note ' || n FROM generate_series(1, 300) n;
    INSERT INTO ${schema}.parts VALUES (1, 'bolt'); INSERT INTO ${schema}.tools VALUES (1, 'saw')`)
}

const keys = async (schema: string, type: string) =>
  (await source.objects(schema, type)).map(({ id }) => id)

async function stoppedTables(ontology: string) {
  const { body } = await source.service.send('/api/admin/v1/status')
  return body.sources.find((one: { ontology: string }) => one.ontology === ontology)?.stoppedTables
}

const stopped = (schema: string) => [
  {
    table: `${schema}.notes`,
    reason: expect.stringMatching(/^its type notes refuses the row 301: .*larger than/),
  },
]

describe('a row that its type refuses', () => {
  it('in the first copy leaves out its table until the next run after it was changed', async () => {
    await createTables('early')
    await source.sql(`INSERT INTO early.notes VALUES (301, ${LONG})`)
    const { code, stderr } = await source.sync(...args('early'), '--once')
    expect(code).toBe(0)
    expect(stderr).toContain('copied 2 objects of 2 tables to early')
    expect(stderr).toMatch(
      /early\.notes cannot be followed any more: its type notes refuses the row 301: .*the other tables are followed/,
    )
    expect(stderr).not.toContain('longlong')
    expect(await stoppedTables('early')).toEqual(stopped('early'))
    expect(await keys('early', 'notes')).toEqual([])

    await source.sql(
      `INSERT INTO early.parts VALUES (2, 'nut'); DELETE FROM early.notes WHERE id = 1`,
    )
    expect((await source.sync(...args('early'), '--once')).code).toBe(0)
    expect(await keys('early', 'parts')).toEqual([1, 2])
    expect(await keys('early', 'notes')).toEqual([])

    await source.sql(`UPDATE early.notes SET text = 'short' WHERE id = 301`)
    const last = await source.sync(...args('early'), '--once')
    expect(last.stderr).toContain('copied 300 objects of 1 table to early')
    expect(await keys('early', 'notes')).toHaveLength(300)
    expect(await stoppedTables('early')).toEqual([])
  })

  it('in a transaction stops its table alone, which keeps its objects', async () => {
    await createTables('late')
    {
      await using sync = startOqs(['sync', source.server.url, ...args('late')], {
        OQS_URL: source.service.url,
        OQS_TOKEN: ADMIN_TOKEN,
      })
      await expect.poll(() => sync.stderr(), SOON).toContain('caught up')
      await source.sql(`BEGIN; INSERT INTO late.parts VALUES (2, 'nut');
        INSERT INTO late.notes VALUES (301, ${LONG}); INSERT INTO late.tools VALUES (2, 'file'); COMMIT`)
      await expect.poll(() => keys('late', 'parts'), SOON).toEqual([1, 2])
      await expect.poll(() => stoppedTables('late'), SOON).toEqual(stopped('late'))
      await source.sql(
        `DELETE FROM late.notes WHERE id = 1; INSERT INTO late.tools VALUES (3, 'awl')`,
      )
      await expect.poll(() => keys('late', 'tools'), SOON).toEqual([1, 2, 3])
      expect(await keys('late', 'notes')).toHaveLength(300)
      expect(sync.stderr()).not.toContain('longlong')
      sync.child.kill('SIGKILL')
      await sync.ended
    }
    await source.sql(
      `DELETE FROM late.notes WHERE id = 301; INSERT INTO late.parts VALUES (3, 'pin')`,
    )
    expect((await source.sync(...args('late'), '--once')).code).toBe(0)
    expect(await keys('late', 'notes')).toHaveLength(299)
    expect(await keys('late', 'parts')).toEqual([1, 2, 3])
  })

  it('in every table of the first copy ends the sync, without a slot', async () => {
    await source.sql(`CREATE SCHEMA alone; CREATE TABLE alone.notes (id int PRIMARY KEY, text text);
      INSERT INTO alone.notes VALUES (7, ${LONG})`)
    const { code, stderr } = await source.sync(...args('alone'), '--once')
    expect(code).toBe(1)
    expect(stderr).toMatch(/alone\.notes cannot be copied: its type notes refuses the row 7: /)
    const slots = await source.sql(
      `SELECT 1 FROM pg_replication_slots WHERE starts_with(slot_name, 'oqs_sync_alone')`,
    )
    expect(slots).toEqual([])
  })
})
