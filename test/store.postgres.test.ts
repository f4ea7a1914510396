import { afterEach, describe, expect, inject, it } from 'vitest'
import { openStore } from '../src/server/open-store.ts'
import type { ObjectStore } from '../src/store/object-store.ts'
import { openPostgresStore } from '../src/store/postgres/open.ts'
import { storeContract } from './store-contract.ts'
import { groupsOf } from './support/groups-of.ts'
import { runSql } from './support/postgres.ts'
import { fixture, type StoreFixture } from './support/store-fixture.ts'
import { type StorePlace, storePlace } from './support/store-place.ts'

let place: StorePlace | undefined
afterEach(async () => {
  await place?.[Symbol.asyncDispose]()
  place = undefined
})

async function open(): Promise<ObjectStore> {
  await place?.[Symbol.asyncDispose]()
  place = await storePlace()
  return openPostgresStore(place.name)
}

const url = () => place?.name ?? ''
const openAgain = () => openPostgresStore(url())
const sql = (text: string) => runSql(url(), text)

storeContract({ name: inject('store') === 'citus' ? 'Citus' : 'PostgreSQL', open, openAgain })

/** Cuts every connection of the store, as a network that fails or a server that restarts does. */
async function cutConnections(): Promise<void> {
  await sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
}

describe('the PostgreSQL store in particular', () => {
  it('is made by whoever comes first, of many that open it at once', async () => {
    place = await storePlace()
    await using stores = new AsyncDisposableStack()
    const opened = await Promise.all(Array.from({ length: 6 }, openAgain))
    for (const store of opened) stores.use(store)
    const keys = await Promise.all(opened.map((store) => store.readPageTokenKeys()))
    for (const one of keys) expect(one).toEqual(keys[0])
  })

  it('refuses a database of a newer release with one clear line', async () => {
    await (await open())[Symbol.asyncDispose]()
    await sql('INSERT INTO oqs_migration (number) VALUES (99)')
    await expect(openAgain()).rejects.toThrow(
      /the database has schema 99, this release knows \d+: run a newer release/,
    )
  })

  it('says what is wrong when it cannot be opened', async () => {
    place = await storePlace()
    const wrong = async (change: (url: URL) => void) => {
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
      await wrong((to) => {
        to.port = '1'
      }),
    ).toMatch(/ECONNREFUSED|refused/)
    expect(
      await wrong((to) => {
        to.pathname = '/oqs_test_missing'
      }),
    ).toMatch(/oqs_test_missing/)
    await wrong((to) => {
      to.password = 'secret-of-the-test'
    })
  })

  it('goes on by itself when its connections are cut', async () => {
    await using store = await open()
    const things = await fixture(store)
    await things.commit([['a', '1']])
    for (let cut = 0; cut < 3; cut += 1) {
      await cutConnections()
      expect(await things.show()).toEqual(['a=1'])
      await store.check()
      await cutConnections()
      // A commit may be refused, but is then not there, and the next one succeeds.
      await eventually(() => things.commit([['b', String(cut)]]))
      expect(await things.show()).toEqual(['a=1', `b=${cut}`])
      await things.commit([['b', null]])
    }
  })

  it('answers 503 when a connection is cut in the middle of a commit, and writes nothing', async () => {
    await using store = await open()
    const things = await fixture(store)
    async function* cutShort() {
      yield [things.change({ k: 'a', text: '1' })]
      await cutConnections()
      yield [things.change({ k: 'b', text: '1' })]
    }
    const commit = store.commit({
      objectType: things.type,
      changes: cutShort(),
      basedOn: things.generation,
      nowMs: 0,
    })
    const outcome = await commit.then(
      ({ put }) => ({ put }),
      ({ errorName }) => ({ errorName }),
    )
    // Whoever collects changes before writing them has nothing to lose.
    expect([{ put: 2 }, { errorName: 'ServiceUnavailable' }]).toContainEqual(outcome)
    expect((await things.show()).length).toBe('put' in outcome ? 2 : 0)
  })

  it('depends on nothing that a database can have as its default', async () => {
    place = await storePlace()
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
    const things = await fixture(store, NUMBERS)
    const objects = [
      { k: 'a', real: 0.1 + 0.2, moment: '2024-03-31T01:30:00.123456Z', day: '0099-01-02' },
      { k: 'b', real: 5e-324, moment: '0001-01-01T00:00:00Z', day: '9999-12-31' },
    ]
    await things.put(objects)
    const page = await things.read()
    const shown = JSON.parse(`[${Buffer.from(page.records)}]`) as { properties: object }[]
    expect(shown.map(({ properties }) => properties)).toEqual(objects)
    expect(await equalTo(things, 'real', 0.1 + 0.2)).toEqual(['a'])
    expect(await equalTo(things, 'real', 5e-324)).toEqual(['b'])
    const metric = { kind: 'max', name: 'm', property: 'real', type: 'double' } as const
    const aggregated = await store.aggregate({
      objectType: things.type,
      query: { kind: 'everything' },
      aggregation: { metrics: [metric], groupings: [] },
      maxGroups: 1,
    })
    expect(groupsOf(aggregated)[0]?.metrics).toEqual([0.1 + 0.2])
    expect(await store.readPageTokenKeys()).toEqual(await store.readPageTokenKeys())
    expect((await store.readPageTokenKeys())[0]).toHaveLength(32)
  })

  it('keeps bearer tokens only as hashes', async () => {
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
  return things.keys({
    query: { kind: 'compare', field: { property, structField: undefined }, operator: 'eq', value },
  })
}

/** Repeats what is refused with `ServiceUnavailable`, as a client does. */
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
