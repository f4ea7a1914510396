import { Client } from 'pg'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { openStore } from '../src/server/open-store.ts'
import type { ObjectStore, StoreOptions } from '../src/store/object-store.ts'
import { CAPABILITIES, type Capabilities } from '../src/store/postgres/citus/capabilities.ts'
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts'
import { storeContract } from './store-contract.ts'
import { ageContract } from './store-contract-ages.ts'
import { changeContract } from './store-contract-changes.ts'
import { groupsOf } from './support/groups-of.ts'
import { OTHER_BUILDS } from './support/other-builds.ts'
import { openTransaction, runSql, untilBlocked } from './support/postgres.ts'
import { rewriteAll, startConversion } from './support/rewrite-all.ts'
import {
  createFixture,
  openFixture,
  retention,
  type StoreFixture,
  thingsDefinition,
} from './support/store-fixture.ts'
import { createTestStore, type TestStore } from './support/test-store.ts'

let place: TestStore | undefined
afterEach(async () => {
  await place?.[Symbol.asyncDispose]()
  place = undefined
})

async function open(options?: StoreOptions): Promise<ObjectStore> {
  await place?.[Symbol.asyncDispose]()
  place = await createTestStore()
  return openPostgresStore(place.name, options)
}

const url = () => place?.name ?? ''
const openAgain = (options?: StoreOptions) => openPostgresStore(url(), options)
const sql = (text: string) => runSql(url(), text)

async function countRowVersions(): Promise<number> {
  const tables = await sql('SELECT id FROM oqs_object_table WHERE is_created')
  const counts = await Promise.all(
    tables.map(({ id }) => sql(`SELECT count(*)::integer AS n FROM oqs_object_${id}`)),
  )
  return counts.reduce((sum, [row]) => sum + Number(row?.['n']), 0)
}

const name = inject('store') === 'citus' ? 'Citus' : 'PostgreSQL'
const SLOW = { objects: 2000, timeoutMs: 500 }
storeContract({ name, open, openAgain, slow: SLOW, countRowVersions })
changeContract({ name, open, openAgain, slow: SLOW, countRowVersions })

const IN_BACKGROUND = { rewrittenAtOnceMax: 0 }

// Publishes versions after their rows, as on Citus, but on plain PostgreSQL.
const APART: Capabilities = { ...CAPABILITIES.citus, isDistributed: false }
ageContract({
  name: 'PostgreSQL (versions published separately)',
  slow: SLOW,
  open: async () => {
    await place?.[Symbol.asyncDispose]()
    place = await createTestStore()
    return openPostgresStore(place.name, { capabilities: APART })
  },
  openAgain: () => openPostgresStore(url(), { capabilities: APART }),
  countRowVersions,
})

/** Terminates all connections of the store, like a network failure or a restart of the server. */
async function terminateConnections(): Promise<void> {
  await sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
}

describe('the PostgreSQL store', () => {
  it('cancels the statement of a client that disconnects', async () => {
    await using store = await open()
    const things = await createFixture(store)
    await things.commit([['a', '1']])
    const [table] = await sql(`SELECT 'oqs_object_' || table_id AS name FROM oqs_object_type`)
    const locker = new Client({ connectionString: url() })
    await locker.connect()
    // Without a cancellation, the query would wait for this lock until the query timeout.
    await locker.query(`BEGIN; LOCK TABLE ${table?.['name']} IN ACCESS EXCLUSIVE MODE`)
    const client = new AbortController()
    const count = { kind: 'count', name: 'count' } as const
    const counted = store.aggregate(
      {
        sources: [{ objectType: things.type, query: { kind: 'everything' } }],
        aggregation: { metrics: [count], groupings: [] },
        maxGroups: 1,
      },
      { callerId: 'one', signal: () => client.signal },
    )
    const failed = expect(counted).rejects.toThrow('gone')
    const waiting = () =>
      sql(`SELECT 1 FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`)
    while ((await waiting()).length === 0);
    client.abort(new Error('gone'))
    await failed
    while ((await waiting()).length > 0);
    await locker.end()
  })

  it('is created once if several nodes open it at the same time', async () => {
    place = await createTestStore('none')
    await using stores = new AsyncDisposableStack()
    const opened = await Promise.all(Array.from({ length: 6 }, () => openAgain()))
    for (const store of opened) stores.use(store)
    const keys = await Promise.all(opened.map((store) => store.readPageTokenKeys()))
    for (const one of keys) expect(one).toEqual(keys[0])
  })

  it.each(OTHER_BUILDS)('refuses a database of $creator, and says what to do', async (build) => {
    await (await open())[Symbol.asyncDispose]()
    await sql(build.change)
    await expect(openAgain()).rejects.toThrow(build.message)
  })

  it('refuses a database from before checksums were recorded, and says what to do', async () => {
    await (await open())[Symbol.asyncDispose]()
    await sql('ALTER TABLE oqs_migration DROP COLUMN checksum, DROP COLUMN object_tables')
    await expect(openAgain()).rejects.toThrow(/^an earlier build of the service created it/)
  })

  it('converts a type on two nodes while others write', async () => {
    await using store = await open(IN_BACKGROUND)
    await using other = await openAgain(IN_BACKGROUND)
    const things = await createFixture(store)
    const keys = Array.from({ length: 600 }, (_, n) => `k${String(n).padStart(3, '0')}`)
    const model = new Map(keys.map((key) => [key, 'text']))
    await things.commit([...model])
    await startConversion(store)
    const phases: unknown[] = []
    for (let round = 0; !phases.includes('published'); round += 1) {
      const changes = [
        [keys[(round * 7) % keys.length] ?? '', `changed ${round}`],
        [`z${String(round).padStart(3, '0')}`, 'added'],
      ] as const
      const steps = [store, other].map((node) => node.rewriteNext())
      // Refused once the new definition is published.
      const isWritten = await things.commit(changes).then(
        () => true,
        () => false,
      )
      for (const [key, text] of isWritten ? changes : []) model.set(key, text)
      const progress = await Promise.all(steps)
      phases.push(...progress.map((one) => one?.phase).filter((phase) => phase !== undefined))
      expect(phases).not.toContain('failed')
    }
    expect(new Set(phases)).toEqual(new Set(['copying', 'indexing', 'catchingUp', 'published']))
    const converted = await openFixture(store)
    expect(await converted.readPairs()).toEqual([...model].map((pair) => pair.join('=')))
    expect(await store.rewriteNext()).toBeUndefined()
  })

  it('publishes a converted table with the index of a long text that arrived last', async () => {
    await using store = await open(IN_BACKGROUND)
    const things = await createFixture(store)
    await things.commit([['a', 'short']])
    await startConversion(store, { label: { type: 'string', renamedFrom: 'text' } })
    let isChanged = false
    const phases = await rewriteAll(store, async ({ phase }) => {
      if (isChanged || phase !== 'catchingUp') return
      isChanged = true
      await things.commit([['a', 'long '.repeat(100)]])
    })
    expect(phases.at(-1)).toBe('published')
    expect(isChanged).toBe(true)
    const indexes = await sql(`SELECT indexname FROM pg_indexes WHERE tablename =
      (SELECT 'oqs_object_' || table_id FROM oqs_object_type) AND indexname LIKE '%prefix'`)
    expect(indexes).toHaveLength(1)
    expect(await store.readStatus()).toMatchObject({ rewrites: [] })
  })

  it('fails a change whose copies are not complete, and goes on with others', async () => {
    await using store = await open(IN_BACKGROUND)
    const things = await createFixture(store)
    const others = await createFixture(store, thingsDefinition('others'))
    await things.commit([['a', '1']])
    await others.commit([
      ['a', '1'],
      ['b', '2'],
    ])
    await startConversion(store)
    await startConversion(store, undefined, 'others')
    await sql(`UPDATE oqs_object_table SET live_count = 1 WHERE live_count = 2`)
    const phases = new Set<string>()
    await rewriteAll(store, async ({ typeRid, phase }) =>
      phases.add(`${typeRid === things.type.rid ? 'things' : 'others'} ${phase}`),
    )
    expect(phases).toContain('things published')
    expect(phases).toContain('others failed')
    const { rid = '' } = (await store.readCatalogue()).find('others') ?? {}
    expect(await store.definitionChanges.find(rid)).toMatchObject({
      state: 'failed',
      reasons: ['copied 2 of 1 objects'],
    })
  })

  it('converts large objects part by part, and saves the terms of all of them', async () => {
    await using store = await open()
    const things = await createFixture(store)
    const keys = ['a', 'b', 'c']
    for (const key of keys) await things.commit([[key, `${key}x`.padEnd(1_800_000)]])
    await sql('TRUNCATE oqs_term')
    const definition = thingsDefinition('things')
    const objectTypes = definition.objectTypes.map((type) => ({
      ...type,
      titleProperty: 'label',
      properties: {
        k: { type: 'string' as const },
        label: { type: 'string' as const, renamedFrom: 'text' },
      },
    }))
    const renamed = await createFixture(store, { ...definition, objectTypes })
    expect(await renamed.readKeys({ maxBytes: 2 ** 25 })).toEqual(keys)
    const terms = await sql(`SELECT DISTINCT right(term, 2) AS term FROM oqs_term
      WHERE term LIKE '%x' ORDER BY 1`)
    expect(terms.map(({ term }) => term)).toEqual(['ax', 'bx', 'cx'])
  })

  it('reclaims versions of a type that is always being written, by queueing with its writers', async () => {
    await using store = await open()
    const things = await createFixture(store)
    await things.commit([['a', '1']])
    await things.commit([['a', '2']])
    const lock = 'SELECT 1 FROM oqs_object_type FOR NO KEY UPDATE'
    let reclaimed: Promise<number>
    {
      await using _writer = await openTransaction(url(), lock)
      reclaimed = store.reclaim(retention(0))
      await untilBlocked(url())
    }
    expect(await reclaimed).toBe(1)
  })

  it('keeps a replacement while one of its indexes is being built, however long that takes', async () => {
    await using store = await open()
    const things = await createFixture(store)
    const replacement = await store.startReplacement(things.type)
    await things.commit([['a', '1']], { replacement })
    await store.reclaim(retention(0, 1000))
    let publication: Promise<unknown>
    {
      // A writer of the table blocks the index build.
      const lock = `LOCK TABLE oqs_object_${replacement} IN ROW EXCLUSIVE MODE`
      await using _writer = await openTransaction(url(), lock)
      publication = store.publishReplacement(things.type, replacement)
      await untilBlocked(url())
      for (const nowMs of [1000, 2000, 3000]) await store.reclaim(retention(nowMs, 1000))
    }
    expect(await publication).toMatchObject({ put: 1 })
    expect(await things.readPairs()).toEqual(['a=1'])
  })

  it('explains why it cannot be opened', async () => {
    place = await createTestStore()
    const failureWith = async (change: (url: URL) => void) => {
      const changed = new URL(url())
      change(changed)
      const failure = await (async () => openStore(changed.href))().then(
        () => 'opened',
        (error: Error) => error.message,
      )
      expect(failure).toContain('OQS_STORE')
      expect(failure).not.toContain('secret-of-the-test')
      expect(failure.split('\n')).toHaveLength(1)
      return failure
    }
    expect(
      await failureWith((to) => {
        to.port = '1'
      }),
    ).toMatch(/ECONNREFUSED|refused/)
    expect(
      await failureWith((to) => {
        to.pathname = '/oqs_test_missing'
      }),
    ).toMatch(/oqs_test_missing/)
    await failureWith((to) => {
      to.password = 'secret-of-the-test'
    })
  })

  it('recovers by itself when its connections are terminated', async () => {
    await using store = await open()
    const things = await createFixture(store)
    await things.commit([['a', '1']])
    for (let round = 0; round < 3; round += 1) {
      await terminateConnections()
      expect(await things.readPairs()).toEqual(['a=1'])
      await store.check()
      await terminateConnections()
      // A commit may be refused, but then it wrote nothing, and the next one succeeds.
      await eventually(() => things.commit([['b', String(round)]]))
      expect(await things.readPairs()).toEqual(['a=1', `b=${round}`])
      await things.commit([['b', null]])
    }
  })

  it('answers 503 and writes nothing when a connection is lost during a commit', async () => {
    await using store = await open()
    const things = await createFixture(store)
    async function* interrupted() {
      yield [things.change({ k: 'a', text: '1' })]
      await terminateConnections()
      yield [things.change({ k: 'b', text: '1' })]
    }
    const commit = store.commit({
      objectType: things.type,
      changes: interrupted(),
      basedOn: things.generation,
    })
    const outcome = await commit.then(
      ({ put }) => ({ put }),
      ({ errorName }) => ({ errorName }),
    )
    // A store that collects the changes before it writes them loses nothing.
    expect([{ put: 2 }, { errorName: 'ServiceUnavailable' }]).toContainEqual(outcome)
    expect((await things.readPairs()).length).toBe('put' in outcome ? 2 : 0)
  })

  it('does not depend on the default settings of the database', async () => {
    place = await createTestStore('none')
    const [{ name } = {}] = await sql('SELECT current_database() AS name')
    for (const setting of [
      `timezone = 'America/St_Johns'`,
      `datestyle = 'German'`,
      `intervalstyle = 'iso_8601'`,
      `bytea_output = 'escape'`,
      'extra_float_digits = -10',
      `default_transaction_isolation = 'serializable'`,
      'backslash_quote = off',
      'array_nulls = off',
      `plan_cache_mode = 'force_generic_plan'`,
    ]) {
      await sql(`ALTER DATABASE ${name} SET ${setting}`)
    }
    await using store = await openAgain()
    const things = await createFixture(store, NUMBERS)
    const objects = [
      { k: 'a', real: 0.1 + 0.2, moment: '2024-03-31T01:30:00.123456Z', day: '0099-01-02' },
      { k: 'b', real: 5e-324, moment: '0001-01-01T00:00:00Z', day: '9999-12-31' },
    ]
    await things.put(objects)
    const page = await things.readPage()
    const shown = JSON.parse(`[${Buffer.from(page.records)}]`) as { properties: object }[]
    expect(shown.map(({ properties }) => properties)).toEqual(objects)
    expect(await equalTo(things, 'real', 0.1 + 0.2)).toEqual(['a'])
    expect(await equalTo(things, 'real', 5e-324)).toEqual(['b'])
    const metric = { kind: 'max', name: 'm', property: 'real', type: 'double' } as const
    const aggregated = await store.aggregate({
      sources: [{ objectType: things.type, query: { kind: 'everything' } }],
      aggregation: { metrics: [metric], groupings: [] },
      maxGroups: 1,
    })
    expect(groupsOf(aggregated)[0]?.metrics).toEqual([0.1 + 0.2])
    expect(await store.readPageTokenKeys()).toEqual(await store.readPageTokenKeys())
    expect((await store.readPageTokenKeys())[0]).toHaveLength(32)
  })

  it('stores API tokens only as hashes', async () => {
    await using _store = await open()
    const columns = await sql(
      `SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'oqs_api_token'`,
    )
    expect(columns.length).toBeGreaterThan(3)
    expect(columns.map(({ name }) => name)).not.toContain('secret')
  })
})

const NUMBERS = {
  apiName: 'numbers',
  objectTypes: [
    {
      apiName: 'number',
      primaryKey: 'k',
      properties: {
        k: { type: 'string' as const },
        real: { type: 'double' as const },
        moment: { type: 'timestamp' as const },
        day: { type: 'date' as const },
      },
    },
  ],
}

function equalTo(things: StoreFixture, property: string, value: number): Promise<unknown[]> {
  return things.readKeys({
    query: { kind: 'compare', field: { property, structField: undefined }, operator: 'eq', value },
  })
}

/** Retries after `ServiceUnavailable`, as a client does. */
async function eventually<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      const { errorName } = error as { errorName?: string }
      if (attempt === 20 || errorName !== 'ServiceUnavailable') throw error
    }
  }
}
