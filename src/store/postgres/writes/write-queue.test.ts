import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { fixture } from '../../../../test/support/store-fixture.ts'
import { storePlace } from '../../../../test/support/store-place.ts'
import { openPostgresStore } from '../open.ts'

describe('writers of a type that somebody else has locked', () => {
  it('do not hold up those of another type', async () => {
    await using place = await storePlace()
    await using store = await openPostgresStore(place.name)
    const locked = await fixture(store)
    const free = await fixture(store, OTHERS)
    const somebody = new Client({ connectionString: place.name })
    await somebody.connect()
    await somebody.query('BEGIN')
    const lock = 'SELECT 1 FROM oqs_object_type WHERE rid = $1 FOR UPDATE'
    await somebody.query(lock, [locked.type.rid])
    let settledCount = 0
    const waiting = Array.from({ length: 6 }, (_, n) =>
      locked.commit([[`k${n}`, 'late']]).finally(() => {
        settledCount += 1
      }),
    )
    await free.commit([['a', 'at once']])
    expect(settledCount).toBe(0)
    await somebody.end()
    await Promise.all(waiting)
    expect(await locked.keys()).toHaveLength(6)
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
