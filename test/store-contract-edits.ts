/** Writes that depend on the current objects, writes by query, and writes that are repeated. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../src/ontology/definition/definition-schema.ts'
import type { DeleteRequest, Edit, IdempotencyKey, ObjectStore } from '../src/store/object-store.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { createFixture, retention, type StoreFixture } from './support/store-fixture.ts'

/** The key of a request, at a time; `body` stands for what the client sent. */
function once(key: string, { body = '', callerId = 'me', nowMs = 1000 } = {}): IdempotencyKey {
  return { callerId, key, fingerprint: () => body, nowMs, expiresAtMs: nowMs + 500 }
}

/** Returns an edit that appends to the text of an object. */
function append(things: StoreFixture, pk: string, suffix: string, key?: IdempotencyKey): Edit {
  return {
    objectType: things.type,
    basedOn: things.generation,
    idempotencyKey: key,
    keys: [pk],
    decide: (current) => {
      const { text = '' } = JSON.parse(current.get(pk)?.body ?? '{}')
      return { changes: [things.change({ k: pk, text: `${text}${suffix}` })], note: `was ${text}` }
    },
  }
}

/** Returns a request to delete the objects whose text is less than another. */
function deleteBelow(things: StoreFixture, value: string, key?: IdempotencyKey): DeleteRequest {
  return {
    objectType: things.type,
    basedOn: things.generation,
    idempotencyKey: key,
    query: {
      kind: 'compare',
      field: { property: 'text', structField: undefined },
      operator: 'lt',
      value,
    },
  }
}

export function editContract({ name, open }: StoreUnderTest): void {
  describe(`the ${name} store: conditional and repeated writes`, () => {
    let store: ObjectStore
    let things: StoreFixture
    beforeEach(async () => {
      store = await open()
      things = await createFixture(store)
    })
    afterEach(() => store[Symbol.asyncDispose]())

    describe('edits', () => {
      it('decide from the current objects, and return the note', async () => {
        const created = await store.edit(append(things, 'a', 'x'))
        expect(created).toEqual({ version: 1, put: 1, deleted: 0, kept: 0, note: 'was ' })
        const changed = await store.edit(append(things, 'a', 'y'))
        expect(changed).toEqual({ version: 2, put: 1, deleted: 0, kept: 0, note: 'was x' })
        const seen: unknown[] = []
        const deleted = await store.edit({
          ...append(things, 'a', ''),
          keys: ['a', 'b'],
          decide: (current) => {
            for (const { pk, key, title } of current.values()) seen.push([pk, key, title])
            return { changes: [{ delete: 'a' }, { delete: 'b' }] }
          },
        })
        expect(seen).toEqual([['a', '"a"', '"xy"']])
        expect(deleted).toEqual({ version: 3, put: 0, deleted: 1, kept: 0 })
        expect(await things.readPairs()).toEqual([])
      })

      it('lose nothing when they are concurrent', async () => {
        const letters = [...'abcdefghij']
        const edits = letters.map((letter) => store.edit(append(things, 'a', letter)))
        const commits = await Promise.all(edits)
        expect(commits.map(({ version }) => version).sort((a, b) => a - b)).toEqual(
          letters.map((_, index) => index + 1),
        )
        const [pair = ''] = await things.readPairs()
        expect([...pair.slice(2)].sort()).toEqual(letters)
      })

      it('change nothing if the decision fails or has no changes', async () => {
        await things.commit([['a', '1']])
        const failing = store.edit({
          ...append(things, 'a', '', once('failed')),
          decide: async () => {
            throw new Error('not now')
          },
        })
        await expect(failing).rejects.toThrow('not now')
        const idle = await store.edit({
          ...append(things, 'a', ''),
          decide: () => ({ changes: [] }),
        })
        expect(idle).toMatchObject({ version: 1, put: 0, deleted: 0 })
        expect(await things.readPairs()).toEqual(['a=1'])
        // The key of a failed request is free.
        expect(await store.edit(append(things, 'a', '2', once('k')))).toMatchObject({ version: 2 })
      })
    })

    describe('deletions by query', () => {
      it('delete the matches as one commit, and keep the earlier version', async () => {
        await things.commit([
          ['a', '1'],
          ['b', '2'],
          ['c', '3'],
        ])
        const deleted = await store.deleteMatches(deleteBelow(things, '3'))
        expect(deleted).toEqual({ version: 2, put: 0, deleted: 2, kept: 0 })
        expect(await things.readPairs()).toEqual(['c=3'])
        expect(await things.readPairs({ version: 1 })).toEqual(['a=1', 'b=2', 'c=3'])
        expect((await things.readPage({ maxObjects: 1 })).totalCount).toBe(1)
      })

      it('create no version if nothing matches, even before the first object', async () => {
        const none = { put: 0, deleted: 0, kept: 0 }
        expect(await store.deleteMatches(deleteBelow(things, '9'))).toEqual({ version: 0, ...none })
        await things.commit([['a', '1']])
        expect(await store.deleteMatches(deleteBelow(things, '0'))).toEqual({ version: 1, ...none })
      })

      it('are all or nothing beside concurrent writes of the same objects', async () => {
        const low = Array.from({ length: 50 }, (_, n) => [`k${n}`, '1'] as const)
        await things.commit(low)
        const [deleted, written] = await Promise.all([
          store.deleteMatches(deleteBelow(things, '2')),
          things.commit(low.map(([k]) => [k, '3'])),
        ])
        // Either all objects were deleted and written again, or none matched any more.
        expect([0, 50]).toContain(deleted.deleted)
        expect(written.put).toBe(50)
        expect(new Set(await things.readPairs())).toEqual(new Set(low.map(([k]) => `${k}=3`)))
      })
    })

    describe('idempotency keys', () => {
      it('return the first result of every kind of write', async () => {
        const batch = {
          objectType: things.type,
          basedOn: things.generation,
          changes: [things.change({ k: 'a', text: '1' }), things.change({ k: 'b', text: '1' })],
          idempotencyKey: once('batch'),
        }
        const writes = [
          () => store.commit(batch),
          () => store.edit(append(things, 'a', '2', once('edit'))),
          () => store.deleteMatches(deleteBelow(things, '12', once('delete'))),
        ]
        for (const write of writes) {
          const first = await write()
          expect(first.isRepeated).toBeUndefined()
          expect(await write()).toEqual({ ...first, isRepeated: true })
        }
        expect(await things.readPairs()).toEqual(['a=12'])
      })

      it('apply concurrent requests with one key once', async () => {
        const edits = Array.from({ length: 5 }, () =>
          store.edit(append(things, 'a', 'x', once('shared'))),
        )
        const commits = await Promise.all(edits)
        expect(commits.filter(({ isRepeated }) => isRepeated !== true)).toHaveLength(1)
        expect(await things.readPairs()).toEqual(['a=x'])
      })

      it('belong to one request of one caller until they expire', async () => {
        await store.edit(append(things, 'a', '1', once('k')))
        const other = store.edit(append(things, 'a', '2', once('k', { body: 'other' })))
        await expect(other).rejects.toMatchObject({ errorName: 'IdempotencyKeyReused' })
        await store.edit(append(things, 'a', '3', once('k', { callerId: 'you' })))
        expect(
          await store.edit(append(things, 'a', '4', once('k', { nowMs: 1499 }))),
        ).toMatchObject({
          isRepeated: true,
        })
        await store.edit(append(things, 'a', '5', once('k', { nowMs: 1500, body: 'later' })))
        expect(await things.readPairs()).toEqual(['a=135'])
        // Maintenance removes expired keys only.
        await store.reclaim(retention(1600, 1_000_000))
        const late = once('k', { nowMs: 1700, body: 'later' })
        expect(await store.edit(append(things, 'a', '6', late))).toMatchObject({ isRepeated: true })
      })
    })

    it('finds the types that have a current object with their key', async () => {
      const others = await createFixture(store, OTHERS)
      await things.commit([
        ['a', '1'],
        ['b', '1'],
      ])
      await others.commit([['a', '1']])
      const typeRids = [things.type.rid, others.type.rid]
      const find = async (pk: string, rids = typeRids) => {
        const keys = rids.map((typeRid) => ({ typeRid, pk }))
        return [...(await store.findTypes({ keys }))].sort()
      }
      expect(await find('a')).toEqual([...typeRids].sort())
      expect(await find('b')).toEqual([things.type.rid])
      expect(await find('c')).toEqual([])
      expect(await find('a', [])).toEqual([])
      // Too many for the main thread of SQLite.
      const unknown = Array.from({ length: 50 }, (_, n) => `ri.unknown.${n}`)
      expect(await find('a', [...unknown, others.type.rid])).toEqual([others.type.rid])
      await things.commit([['b', null]])
      expect(await find('b')).toEqual([])
    })

    describe('types of ids', () => {
      it('are those with a current object', async () => {
        const others = await createFixture(store, OTHERS)
        await things.commit([
          ['a', '1'],
          ['b', '1'],
          ['c', '1'],
        ])
        await others.commit([['a', '1']])
        const idOf = ({ change }: StoreFixture, k: string) => {
          const one = change({ k, text: '' })
          return 'put' in one ? one.put.objectId : ''
        }
        const [a, b, x] = [idOf(things, 'a'), idOf(things, 'b'), idOf(others, 'a')]
        const typeRids = [things.type.rid, others.type.rid]
        const find = async (ids: readonly string[], maxTypes = 10) =>
          [...(await store.findTypes({ ids, typeRids, maxTypes }))].sort()
        expect(await find([a])).toEqual([things.type.rid])
        expect(await find([b, a, x])).toEqual([...typeRids].sort())
        expect(await find([b, a, x], 1)).toHaveLength(1)
        expect(await find([idOf(others, 'b')])).toEqual([])
        await things.commit([
          ['a', null],
          ['b', null],
        ])
        expect(await find([a, b])).toEqual([])
        // Too many for the main thread of SQLite, and more than either type has.
        const unknown = Array.from({ length: 2000 }, (_, n) => idOf(things, `unknown ${n}`))
        expect(await find([...unknown, x])).toEqual([others.type.rid])
      })
    })
  })
}

const OTHERS: OntologyDefinition = {
  apiName: 'others',
  objectTypes: [
    {
      apiName: 'other',
      primaryKey: 'k',
      properties: { k: { type: 'string' }, text: { type: 'string' } },
    },
  ],
}
