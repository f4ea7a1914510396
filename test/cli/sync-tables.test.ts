/** Which tables a sync takes from the catalogue of the source, and under which names. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOqs } from '../support/oqs-process.ts'
import { runCommand } from '../support/run-in-process.ts'
import { ADMIN_TOKEN } from '../support/service.ts'
import { type SyncSource, startSyncSource } from '../support/sync-source.ts'

let source: SyncSource

beforeAll(async () => {
  source = await startSyncSource()
})
afterAll(() => source[Symbol.asyncDispose]())

const settings = () => ({ OQS_URL: source.service.url, OQS_TOKEN: ADMIN_TOKEN })

async function catchUp(...args: string[]): Promise<string> {
  const { code, stderr } = await source.sync(...args, '--once')
  expect(stderr).toContain('caught up')
  expect(code).toBe(0)
  return stderr
}

async function failing(...args: string[]): Promise<string> {
  const { code, stderr } = await source.sync(...args, '--once')
  expect(code).toBe(1)
  return stderr
}

const table = (name: string) => ['--table', name, '--ontology', 'single', '--type', 'one']

describe('tables that cannot be followed', () => {
  beforeAll(async () => {
    await source.sql(`
      CREATE SCHEMA strange;
      CREATE TABLE strange.plain (id int PRIMARY KEY, "__rid" text, "rid" text);
      INSERT INTO strange.plain VALUES (1, 'own', 'other');
      CREATE UNLOGGED TABLE strange.loose (id int PRIMARY KEY);
      CREATE VIEW strange.seen AS SELECT * FROM strange.plain;
      CREATE MATERIALIZED VIEW strange.kept AS SELECT * FROM strange.plain;
      CREATE TABLE strange.events (id int PRIMARY KEY) PARTITION BY RANGE (id);
      CREATE TABLE strange.events_1 PARTITION OF strange.events FOR VALUES FROM (0) TO (9);
      CREATE TABLE strange.lists (id int[] PRIMARY KEY);
      CREATE TABLE strange.late (id int PRIMARY KEY DEFERRABLE); ALTER TABLE strange.late REPLICA IDENTITY FULL;
      CREATE TABLE strange.nameless (id int PRIMARY KEY); ALTER TABLE strange.nameless REPLICA IDENTITY NOTHING;
      CREATE TABLE strange.parts (id int PRIMARY KEY) PARTITION BY RANGE (id);
      CREATE TABLE strange.parts_1 PARTITION OF strange.parts FOR VALUES FROM (0) TO (9);
      ALTER TABLE strange.parts_1 REPLICA IDENTITY NOTHING;
      DO $$ BEGIN EXECUTE 'CREATE TABLE strange.wide (id int PRIMARY KEY, ' ||
        (SELECT string_agg('c' || g || ' int', ', ') FROM generate_series(1, 1000) g) || ')'; END $$`)
  })

  const REASONS = [
    [
      'strange.loose',
      'is unlogged, so PostgreSQL does not replicate it; run ALTER TABLE "strange"',
    ],
    ['strange.seen', 'is a view; follow the tables that it reads'],
    ['strange.kept', 'is a view; follow the tables that it reads'],
    ['strange.lists', 'has a primary key of type int4[], which objects cannot have'],
    ['strange.late', 'has a deferrable primary key; create it as NOT DEFERRABLE'],
    ['strange.nameless', 'has a replica identity without its primary key; set REPLICA IDENTITY'],
    ['strange.parts', 'has a replica identity without its primary key, or a partition that has'],
    ['strange.wide', 'has 1001 columns, and object types have at most 1000 properties'],
  ]

  it('are left out of several, each with the reason', async () => {
    const stderr = await catchUp('--tables', 'strange.*', '--ontology', 'strange')
    expect(stderr).toContain('copied 1 object of 2 tables to strange')
    for (const [name, reason] of REASONS) {
      expect(stderr).toContain(`${name} is left out: it ${reason}`)
    }
    expect(stderr).not.toContain('events_1')
  })

  it.each([
    ...REASONS,
    ['strange.events_1', 'is a partition of strange.events; follow that table'],
  ])('are refused alone: %s', async (name = '', reason = '') => {
    expect(await failing(...table(name))).toContain(`${name} cannot be followed: it ${reason}`)
  })

  it('have no column whose name is a member of records', async () => {
    expect(await source.objects('strange', 'plain')).toEqual([{ id: 1, rid: 'own', rid2: 'other' }])
  })
})

describe('the name of a table', () => {
  it('may have quotes', async () => {
    await source.sql(`CREATE TABLE "Odd ""name"". v1" (id int PRIMARY KEY)`)
    const stderr = await catchUp(
      ...['--table', '"Odd ""name"". v1"', '--ontology', 'quoted', '--type', 'one'],
    )
    expect(stderr).toContain('copied 0 objects of 1 table')
  })

  it('that is not found is answered with similar ones first', async () => {
    await source.sql(`CREATE SCHEMA many; DO $$ BEGIN FOR g IN 1..30 LOOP
      EXECUTE 'CREATE TABLE many.table' || g || ' (id int PRIMARY KEY)'; END LOOP; END $$`)
    const stderr = await failing(...table('many.table300'))
    expect(stderr).toMatch(/Its tables are: many\.table30, many\.table3, .*, and \d+ more\./)
  })

  it('gives each table a type of its own', async () => {
    await source.sql(`
      CREATE SCHEMA names; CREATE SCHEMA again;
      CREATE TABLE names."a b" (id int PRIMARY KEY); CREATE TABLE names."aB" (id int PRIMARY KEY);
      CREATE TABLE again."aB" (id int PRIMARY KEY);
      INSERT INTO names."a b" VALUES (1); INSERT INTO names."aB" VALUES (2); INSERT INTO again."aB" VALUES (3)`)
    const NAMES = ['--tables', 'names.*,again.*', '--ontology', 'names']
    await catchUp(...NAMES)
    await source.sql(`INSERT INTO names."a b" VALUES (11); INSERT INTO names."aB" VALUES (12)`)
    await catchUp(...NAMES)
    const ids = async (type: string) => (await source.objects('names', type)).map(({ id }) => id)
    expect(await ids('aB')).toEqual([3])
    expect(await ids('names_aB')).toEqual([2, 12])
    expect(await ids('namesAB')).toEqual([1, 11])
  })

  it('stays the name of the type when a table of another schema has it too', async () => {
    await source.sql(`CREATE SCHEMA aside; CREATE TABLE aside.people (id int PRIMARY KEY);
      CREATE TABLE public.people (id int PRIMARY KEY); INSERT INTO public.people VALUES (1)`)
    await catchUp('--tables', 'aside.people,public.people', '--ontology', 'people')
    expect(await source.objects('people', 'people')).toEqual([{ id: 1 }])
    expect(await source.objects('people', 'aside_people')).toEqual([])
  })
})

it('a table that others inherit from has its own rows only, and is followed', async () => {
  await source.sql(`CREATE SCHEMA family; CREATE TABLE family.parent (id int PRIMARY KEY, name text);
    CREATE TABLE family.child (extra int) INHERITS (family.parent);
    INSERT INTO family.parent VALUES (1, 'a'); INSERT INTO family.child VALUES (10, 'b', 1)`)
  const FAMILY = ['--tables', 'family.*', '--ontology', 'family']
  expect(await catchUp(...FAMILY)).toContain('copied 1 object of 1 table')
  await source.sql(
    `INSERT INTO family.child VALUES (11, 'c', 1); UPDATE family.parent SET name = 'd'`,
  )
  await catchUp(...FAMILY)
  expect(await source.objects('family', 'parent')).toContainEqual({ id: 1, name: 'd' })
  expect(await source.objects('family', 'parent')).toHaveLength(1)
})

it('a table whose policies hide rows is refused until the role sees them all', async () => {
  await source.sql(`CREATE TABLE secrets (id int PRIMARY KEY); INSERT INTO secrets VALUES (1), (2);
    ALTER TABLE secrets ENABLE ROW LEVEL SECURITY; CREATE POLICY first_only ON secrets USING (id = 1);
    CREATE ROLE reader LOGIN REPLICATION PASSWORD 'secret'; GRANT SELECT ON secrets TO reader;
    CREATE PUBLICATION secrets FOR TABLE ONLY secrets WITH (publish_via_partition_root = true)`)
  const url = new URL(source.server.url)
  url.username = 'reader'
  url.password = 'secret'
  const args = ['--table', 'secrets', '--ontology', 'secrets', '--type', 'secret', '--once']
  const sync = () => runCommand(['sync', url.href, ...args, '--slot', 'secrets'], settings())
  const refused = await sync()
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/row-level security.*; run ALTER ROLE "reader" BYPASSRLS\./)
  await source.sql('ALTER ROLE reader BYPASSRLS')
  expect((await sync()).stderr).toContain('copied 2 objects')
})

it('a dropped table is mentioned, at each start and by --restart', async () => {
  await source.sql(`CREATE SCHEMA gone; CREATE TABLE gone.stays (id int PRIMARY KEY);
    CREATE TABLE gone.goes (id int PRIMARY KEY); INSERT INTO gone.goes VALUES (1)`)
  const GONE = ['--tables', 'gone.*', '--ontology', 'gone']
  await catchUp(...GONE)
  await source.sql('DROP TABLE gone.goes')
  for (const more of [[], [], ['--restart']]) {
    expect(await catchUp(...GONE, ...more)).toContain('gone.goes is not followed any more')
  }
  expect(await catchUp(...GONE)).not.toContain('gone.goes')
})

it('names the source that cannot be reached', async () => {
  const url = new URL(source.server.url)
  url.pathname = '/nothing'
  const { stderr } = await runCommand(['sync', url.href, ...table('t')], settings())
  expect(stderr).toMatch(/Cannot connect to the source \S+\/nothing: database "nothing" does not/)
})

it('says that another sync uses the slot', async () => {
  await source.sql('CREATE TABLE shared (id int PRIMARY KEY)')
  const SHARED = ['--table', 'shared', '--ontology', 'shared', '--type', 'one']
  await using first = startOqs(['sync', source.server.url, ...SHARED], settings())
  await expect.poll(() => first.stderr(), { timeout: 60_000 }).toContain('caught up')
  await using second = startOqs(['sync', source.server.url, ...SHARED], settings())
  await expect
    .poll(() => second.stderr(), { timeout: 60_000 })
    .toMatch(/is active for PID \d+: another oqs sync uses it\. Stop that one, or pass/)
})
