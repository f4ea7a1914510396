import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runSql } from '../../../../test/support/postgres.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import { ShardReader } from './shard-reader.ts'
import { type Machine, rowsOn } from './shards.ts'

let place: TestStore
beforeEach(async () => {
  place = await createTestStore('none')
})
afterEach(() => place[Symbol.asyncDispose]())

const KEYS = Array.from({ length: 300 }, (_, n) => `k${1000 + n}`)

/** Creates a table for each list of keys, all on one server, and returns them as machines. */
async function createShards(...lists: readonly (readonly string[])[]): Promise<Machine[]> {
  const { hostname: host, port } = new URL(place.name)
  for (const [at, keys] of lists.entries()) {
    const values = keys.map((key) => `('${key}')`).join(', ')
    await runSql(place.name, [
      `CREATE TABLE part_${at} (pk text COLLATE "C")`,
      `INSERT INTO part_${at} VALUES ${values}`,
    ])
  }
  return lists.map((_, at) => ({
    host,
    port: Number(port),
    shards: [{ table: `part_${at}`, firstHash: at }],
  }))
}

async function readKeys(shards: ShardReader, machines: readonly Machine[], limit: number) {
  const rows = await shards.readInOrder(machines, limit, (machine, share, after = '') => ({
    sql: `SELECT pk FROM ${rowsOn(machine)} AS o WHERE pk > ? ORDER BY pk LIMIT ?`,
    values: [after, share],
  }))
  return rows?.map(([pk]) => String(pk))
}

describe('rows of several machines', () => {
  it.for([
    ['spread evenly', (n: number) => n % 3],
    ['most of them on one machine', (n: number) => (n % 50 === 0 ? n % 3 : 1)],
  ] as const)('are merged in the order of their keys: %s', async ([, machineOf]) => {
    const of = (at: number) => KEYS.filter((_, n) => machineOf(n) === at)
    const machines = await createShards(of(0), of(1), of(2))
    await using shards = new ShardReader(place.name, {})
    for (const limit of [1, 2, 100, 300, 1000]) {
      expect(await readKeys(shards, machines, limit)).toEqual(KEYS.slice(0, limit))
    }
  })

  it('are left to the coordinator if a machine cannot be reached', async () => {
    const machines = await createShards(KEYS)
    await using shards = new ShardReader(place.name, {})
    const unreachable = { host: '127.0.0.1', port: 1, shards: [] }
    expect(await readKeys(shards, [...machines, unreachable], 5)).toBeUndefined()
    expect(await readKeys(shards, [], 5)).toBeUndefined()
    expect(await readKeys(shards, machines, 5)).toEqual(KEYS.slice(0, 5))
  })
})
