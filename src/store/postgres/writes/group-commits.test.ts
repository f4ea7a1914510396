import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openTransaction, runSql, untilBlocked } from '../../../../test/support/postgres.ts'
import { createFixture, type StoreFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { Change, Commit, ObjectStore } from '../../object-store.ts'
import { openPostgresStore } from '../postgres-store.ts'

describe.runIf(inject('store') === 'postgres')('small writes that wait for one type', () => {
  let place: TestStore
  let store: ObjectStore
  let things: StoreFixture
  beforeAll(async () => {
    place = await createTestStore()
    store = await openPostgresStore(place.name)
    things = await createFixture(store)
    await things.commit([['first', '0']])
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  const transactions = async () => {
    const rows = await runSql(
      place.name,
      `SELECT count(DISTINCT xmin::text) AS count FROM oqs_object_1`,
    )
    return Number(rows[0]?.['count'])
  }
  const put = (k: string, text: string) => things.commit([[k, text]])
  const edit = (keys: readonly string[], decide: () => readonly Change[]): Promise<Commit> =>
    store.edit({
      objectType: things.type,
      basedOn: things.generation,
      keys,
      decide: () => ({ changes: decide() }),
    })

  /** Starts writes while the type is locked, and returns their results. */
  async function writeTogether(start: () => readonly Promise<Commit>[]) {
    const lock = await openTransaction(place.name, 'SELECT 1 FROM oqs_object_type FOR UPDATE')
    const writes = Promise.allSettled(start())
    await untilBlocked(place.name)
    await lock[Symbol.asyncDispose]()
    return writes
  }

  it('share a transaction, and each has its own version', async () => {
    const before = await transactions()
    const keys = Array.from({ length: 20 }, (_, n) => `together${n}`)
    const results = await writeTogether(() => keys.map((key) => put(key, key)))
    const versions = results.map((one) => (one.status === 'fulfilled' ? one.value.version : 0))
    expect(new Set(versions).size).toBe(20)
    expect(Math.max(...versions) - Math.min(...versions)).toBe(19)
    expect(await transactions()).toBe(before + 1)
    const [version = 0] = versions.toSorted((a, b) => a - b).slice(4)
    const keysOf = (options: object) => things.readKeys({ ...options, maxObjects: 100 })
    const snapshot = await keysOf({ version })
    expect(snapshot.filter((key) => String(key).startsWith('together'))).toHaveLength(5)
    expect(await keysOf({})).toEqual(expect.arrayContaining(keys))
  })

  it('fail alone', async () => {
    const refusal = new ObjectQueryError('ObjectTypeNotFound', { objectType: 'refused' })
    const results = await writeTogether(() => [
      put('kept1', 'a'),
      edit(['refused'], () => {
        throw refusal
      }),
      put('kept2', 'b'),
      things.commit([['absent', null]]),
      store.commit({ objectType: things.type, basedOn: -1, changes: [{ delete: 'first' }] }),
    ])
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'rejected',
    ])
    expect(results[1]).toMatchObject({ reason: refusal })
    expect(results[3]).toMatchObject({ value: { put: 0, deleted: 0 } })
    expect(await things.readKeys({ maxObjects: 100 })).toEqual(
      expect.arrayContaining(['first', 'kept1', 'kept2']),
    )
  })

  it('fail alone if the database refuses one of them', async () => {
    await runSql(place.name, `ALTER TABLE oqs_object_1 ADD CHECK (body NOT LIKE '%refuse me%')`)
    const results = await writeTogether(() => [
      put('x1', '1'),
      put('x2', 'refuse me'),
      put('x3', '3'),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await things.readPairs({ maxObjects: 100 })).toEqual(
      expect.arrayContaining(['x1=1', 'x3=3']),
    )
  })

  it('are applied in turn if they change the same object', async () => {
    const results = await writeTogether(() => [
      put('same', '1'),
      put('same', '2'),
      put('same', '3'),
    ])
    expect(results.every(({ status }) => status === 'fulfilled')).toBe(true)
    expect(await things.readPairs({ maxObjects: 100 })).toContain('same=3')
    // An edit may change an object that it did not name.
    const change = things.change({ k: 'other', text: 'edited' })
    const mixed = await writeTogether(() => [put('other', 'put'), edit(['same'], () => [change])])
    expect(mixed.every(({ status }) => status === 'fulfilled')).toBe(true)
  })

  it('with one idempotency key are committed once', async () => {
    const idempotencyKey = {
      callerId: 'caller',
      key: 'key',
      fingerprint: () => 'request',
      nowMs: 0,
      expiresAtMs: 1000,
    }
    const { type: objectType, generation: basedOn } = things
    const changes = [things.change({ k: 'once', text: 'x' })]
    const write = () => store.commit({ objectType, basedOn, changes, idempotencyKey })
    const results = await writeTogether(() => [write(), write()])
    const commits = results.map((one) => (one.status === 'fulfilled' ? one.value : undefined))
    expect(commits[0]?.version).toBe(commits[1]?.version)
    expect(commits.map((commit) => commit?.isRepeated ?? false)).toEqual([false, true])
  })

  it('do not wait for a caller that has had its share', async () => {
    const context = (callerId: string) => ({ callerId, signal: () => new AbortController().signal })
    const putAs = (callerId: string, target: StoreFixture, k: string) => {
      const { type: objectType, generation: basedOn } = target
      return store.commit(
        { objectType, basedOn, changes: [target.change({ k })] },
        context(callerId),
      )
    }
    const others: StoreFixture[] = []
    for (const n of [0, 1, 2, 3]) {
      const properties = { k: { type: 'string' } } as const
      const objectTypes = [{ apiName: 'other', primaryKey: 'k', properties }]
      others.push(await createFixture(store, { apiName: `other${n}`, objectTypes }))
    }
    const lock = `SELECT 1 FROM oqs_object_type WHERE rid <> '${things.type.rid}' FOR UPDATE`
    let blocked: readonly Promise<Commit>[]
    {
      await using _lock = await openTransaction(place.name, lock)
      // One caller takes all the turns that it may have.
      blocked = others.map((target) => putAs('busy', target, 'a'))
      await untilBlocked(place.name, blocked.length)
      const waiting = putAs('busy', things, 'busy')
      await putAs('idle', things, 'idle')
      // The turn of the other caller has taken the waiting write along.
      expect(await waiting).toMatchObject({ put: 1 })
    }
    expect(await Promise.all(blocked)).toMatchObject(blocked.map(() => ({ put: 1 })))
  })
})
