import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { feedContract } from '../../../../test/feed-contract.ts'
import { createFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore } from '../../../../test/support/test-store.ts'
import { openStore } from '../../../server/open-store.ts'
import { openColumnFeed } from '../../open-column-feed.ts'

const pathOf = (name: string) => name.replace('sqlite:', '')

feedContract(async (name, sql) => {
  using db = new DatabaseSync(pathOf(name), { readOnly: true })
  const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
  return steps.map(({ detail }) => detail).join('\n')
})

it('waits for another writer without blocking its thread', async () => {
  await using place = await createTestStore()
  await using store = await openStore(place.name)
  const { type, generation } = await createFixture(store)
  await using feed = await openColumnFeed(place.name)
  const [head] = await feed.readHeads([type.rid])
  const record = { name: 'one', typeRid: type.rid, table: head?.table ?? 0, generation, version: 0 }
  using other = new DatabaseSync(pathOf(place.name))
  other.exec('BEGIN IMMEDIATE')
  let isAdded = false
  const adding = feed.addSegment(record).then(() => {
    isAdded = true
  })
  await nextTurn()
  // Reads go on.
  expect(await feed.readSegments()).toEqual([])
  expect(isAdded).toBe(false)
  other.exec('COMMIT')
  await adding
  expect(await feed.readSegments()).toEqual([record])
})
