import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { createFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore } from '../../../../test/support/test-store.ts'
import { openPostgresStore } from '../postgres-store.ts'

describe('writers of a locked type', () => {
  it('do not block writers of another type', async () => {
    await using place = await createTestStore()
    await using store = await openPostgresStore(place.name)
    const locked = await createFixture(store)
    const free = await createFixture(store, OTHERS)
    const locker = new Client({ connectionString: place.name })
    await locker.connect()
    await locker.query('BEGIN')
    const lock = 'SELECT 1 FROM oqs_object_type WHERE rid = $1 FOR UPDATE'
    await locker.query(lock, [locked.type.rid])
    let settledCount = 0
    const waiting = Array.from({ length: 6 }, (_, n) =>
      locked.commit([[`k${n}`, 'late']]).finally(() => {
        settledCount += 1
      }),
    )
    await free.commit([['a', 'now']])
    expect(settledCount).toBe(0)
    await locker.end()
    await Promise.all(waiting)
    expect(await locked.readKeys()).toHaveLength(6)
  })
})

const OTHERS = {
  apiName: 'others',
  objectTypes: [
    {
      apiName: 'other',
      primaryKey: 'k',
      properties: { k: { type: 'string' as const }, text: { type: 'string' as const } },
    },
  ],
}
