import { afterEach, describe, expect, it } from 'vitest'
import { runSql } from '../../../../test/support/postgres.ts'
import { createFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import { openPostgresStore } from '../postgres-store.ts'

let place: TestStore | undefined
afterEach(async () => {
  await place?.[Symbol.asyncDispose]()
  place = undefined
})

const FROM = 5

async function open() {
  place = await createTestStore()
  const url = new URL(place.name)
  const options = url.searchParams.get('options')
  url.searchParams.set('options', `${options} -c oqs.distribute_from=${FROM}`)
  return openPostgresStore(url.href)
}

const sql = (text: string) => runSql(place?.name ?? '', text)

/** Returns the number of shards of each table that is distributed. */
async function shards(): Promise<Record<string, number>> {
  const rows = await sql(
    `SELECT c.relname AS table, count(*)::integer AS shards
     FROM pg_dist_shard AS s JOIN pg_class AS c ON c.oid = s.logicalrelid
     WHERE pg_table_is_visible(c.oid) GROUP BY c.relname`,
  )
  return Object.fromEntries(rows.map(({ table, shards }) => [table, shards]))
}

const pairs = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n): [string, string] => [`k${from + n}`, 'x'])
const written = (to: number) => pairs(0, to).map((pair) => pair.join('='))

describe('the table of a small type', () => {
  it('stays on the coordinator until it has grown, then loses no version', async () => {
    await using store = await open()
    const things = await createFixture(store)
    await things.commit(pairs(0, FROM - 1))
    expect(await store.rewriteNext()).toBeUndefined()
    expect(await shards()).toEqual({})
    const { version } = await things.commit(pairs(FROM - 1, FROM + 3))
    const writers = [things.commit([['k0', 'y']]), store.rewriteNext(), things.commit([['z', '1']])]
    await Promise.all(writers)
    expect(await shards()).toEqual({ oqs_object_1: 4 })
    expect(await things.readPairs({ version })).toEqual(written(FROM + 3))
    expect(await things.readPairs()).toEqual(['k0=y', ...written(FROM + 3).slice(1), 'z=1'])
    const [left] = await sql(`SELECT pg_relation_size('oqs_object_1')::integer AS bytes`)
    expect(left).toEqual({ bytes: 0 })
    await things.commit([['z', '2']])
    expect((await things.readPairs()).at(-1)).toBe('z=2')
  })

  it('is distributed at once for a first batch that is large', async () => {
    await using store = await open()
    const things = await createFixture(store)
    await things.commit(pairs(0, FROM))
    expect(await shards()).toEqual({ oqs_object_1: 4 })
    expect(await things.readPairs()).toEqual(written(FROM))
  })

  it('is distributed while a replacement is loaded, and at once for a type that is large', async () => {
    await using store = await open()
    const things = await createFixture(store)
    const replacement = await store.startReplacement(things.type)
    await things.commit(pairs(0, 2), { replacement })
    expect(await shards()).toEqual({})
    await things.commit(pairs(2, FROM), { replacement })
    expect(await shards()).toEqual({ oqs_object_2: 4 })
    await things.commit(pairs(FROM, FROM + 2), { replacement })
    await store.publishReplacement(things.type, replacement)
    expect(await things.readPairs()).toEqual(written(FROM + 2))
    const next = await store.startReplacement(things.type)
    await things.commit(pairs(0, 1), { replacement: next })
    expect(await shards()).toMatchObject({ oqs_object_3: 4 })
    await store.publishReplacement(things.type, next)
    expect(await things.readPairs()).toEqual(written(1))
  })
})
