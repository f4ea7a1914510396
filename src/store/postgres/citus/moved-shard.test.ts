import { expect, it } from 'vitest'
import { runSql } from '../../../../test/support/postgres.ts'
import { createFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore } from '../../../../test/support/test-store.ts'
import { openPostgresStore } from '../postgres-store.ts'

const KEYS = Array.from({ length: 300 }, (_, n) => `k${1000 + n}`)

/** Moves one shard to the other machine. */
const MOVE = `SELECT citus_move_shard_placement(shardid, here.nodeid, there.nodeid, 'block_writes')
  FROM (SELECT shardid, groupid FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
    WHERE logicalrelid = 'oqs_object_1'::regclass ORDER BY shardid LIMIT 1) AS moved
  JOIN pg_dist_node AS here USING (groupid)
  JOIN pg_dist_node AS there ON there.nodeid <> here.nodeid AND there.shouldhaveshards`

it('reads a shard from the machine that it was moved to, with what was written since', async () => {
  await using place = await createTestStore('none')
  await using store = await openPostgresStore(place.name)
  const things = await createFixture(store)
  const commit = (value: string) => things.commit(KEYS.map((key): [string, string] => [key, value]))
  const read = () => things.readPairs({ maxObjects: 400 })
  await commit('1')
  expect(await read()).toEqual(KEYS.map((key) => `${key}=1`))
  await runSql(place.name, MOVE)
  expect(await read()).toEqual(KEYS.map((key) => `${key}=1`))
  await commit('2')
  expect(await read()).toEqual(KEYS.map((key) => `${key}=2`))
})
