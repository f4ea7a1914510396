/** Batches and replacements: streamed, failing, and concurrent ones. */
import { describe, expect, it } from 'vitest'
import { nextTurn } from '../src/admission/next-turn.ts'
import { OPEN_REPLACEMENTS_MAX } from '../src/contract/limits.ts'
import type { Change } from '../src/store/object-store.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { createFixture, pageRequest, retention } from './support/store-fixture.ts'

export function writeContract({ name, open, openAgain }: StoreUnderTest): void {
  describe(`the ${name} store: batches`, () => {
    it('keeps existing objects on request, and then takes the first of several changes', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([['a', '1']])
      const appended = await things.commit(
        [
          ['a', '2'],
          ['b', '2'],
          ['b', '3'],
        ],
        { keepsExisting: true },
      )
      expect(appended).toEqual({ version: 2, put: 1, deleted: 0, kept: 1 })
      expect(await things.readPairs()).toEqual(['a=1', 'b=2'])
      expect(await things.commit([['a', '9']], { keepsExisting: true })).toEqual({
        version: 2,
        put: 0,
        deleted: 0,
        kept: 1,
      })
    })

    it('takes the last of several changes to one object', async () => {
      await using store = await open()
      const things = await createFixture(store)
      const commit = await things.commit([
        ['a', '1'],
        ['b', '1'],
        ['a', null],
        ['b', '2'],
      ])
      expect(commit).toMatchObject({ put: 1, deleted: 0 })
      expect(await things.readPairs()).toEqual(['b=2'])
    })

    it('accepts changes in parts, and commits them as one', async () => {
      await using store = await open()
      const things = await createFixture(store)
      const count = 2500
      const seen: number[] = []
      async function* pieces(): AsyncGenerator<readonly Change[]> {
        for (let n = 0; n < count; n += 500) {
          seen.push((await things.readPage({ maxObjects: 1 })).count)
          yield Array.from({ length: 500 }, (_, at) =>
            things.change({ k: String(10_000 + n + at), text: `${n + at}` }),
          )
        }
      }
      const commit = await store.commit({
        objectType: things.type,
        changes: pieces(),
        basedOn: things.generation,
      })
      expect(commit).toEqual({ version: expect.any(Number), put: count, deleted: 0, kept: 0 })
      expect(seen).toEqual([0, 0, 0, 0, 0])
      expect((await things.readPage({ maxObjects: 1 })).totalCount).toBe(count)
    })

    it('writes nothing when the changes fail midway, and accepts further batches', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([['a', '1']])
      const replacement = await store.startReplacement(things.type)
      async function* failing(): AsyncGenerator<readonly Change[]> {
        yield [things.change({ k: 'a', text: 'half' }), things.change({ k: 'b', text: 'half' })]
        throw new Error('the sender is gone')
      }
      for (const into of [undefined, replacement]) {
        const late = store.commit({
          objectType: things.type,
          changes: failing(),
          basedOn: things.generation,
          replacement: into,
        })
        await expect(late).rejects.toThrow('the sender is gone')
      }
      expect(await things.readPairs()).toEqual(['a=1'])
      expect(await things.commit([['b', '2']])).toMatchObject({ put: 1 })
      await store.publishReplacement(things.type, replacement)
      expect(await things.readPairs()).toEqual([])
    })

    it('does not write a large batch whose client has left, but a small one', async () => {
      await using store = await open()
      const things = await createFixture(store)
      const left = new AbortController()
      const context = { callerId: 'someone', signal: () => left.signal }
      async function* received(count: number): AsyncGenerator<readonly Change[]> {
        yield Array.from({ length: count }, (_, n) => things.change({ k: `${count}-${n}` }))
        left.abort(new Error('the client has left'))
      }
      const commit = (count: number) =>
        store.commit(
          { objectType: things.type, changes: received(count), basedOn: things.generation },
          context,
        )
      await expect(commit(2000)).rejects.toThrow('the client has left')
      expect(await things.readKeys()).toEqual([])
      expect(await commit(2)).toMatchObject({ put: 2 })
      expect(await things.readKeys()).toEqual(['2-0', '2-1'])
    })

    it('does not block readers and other types while changes arrive slowly', async () => {
      await using store = await open()
      const things = await createFixture(store)
      const others = await createFixture(store, OTHERS)
      async function* slow(): AsyncGenerator<readonly Change[]> {
        yield [things.change({ k: 'a', text: '1' })]
        // Waiting for the end of this commit would be a deadlock.
        expect(await others.readPairs()).toEqual([])
        expect(await things.readPairs()).toEqual([])
        expect(await others.commit([['x', '1']])).toMatchObject({ put: 1 })
        yield [things.change({ k: 'b', text: '1' })]
      }
      await store.commit({
        objectType: things.type,
        changes: slow(),
        basedOn: things.generation,
      })
      expect(await things.readPairs()).toEqual(['a=1', 'b=1'])
      expect(await others.readPairs()).toEqual(['x=1'])
    })

    it('recreates a deleted object, and keeps all its versions readable', async () => {
      await using store = await open()
      const things = await createFixture(store)
      for (let version = 1; version <= 6; version += 1) {
        await things.commit([['a', version % 2 === 0 ? null : String(version)]])
      }
      for (let version = 1; version <= 6; version += 1) {
        expect(await things.readPairs({ version })).toEqual(
          version % 2 === 0 ? [] : [`a=${version}`],
        )
      }
    })
  })

  describe(`the ${name} store: replacements`, () => {
    it('shows nothing of a replacement before it is published, all of it after', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([['a', '1']])
      const [first, second] = [
        await store.startReplacement(things.type),
        await store.startReplacement(things.type),
      ]
      expect(first).not.toBe(second)
      await things.commit([['b', 'first']], { replacement: first })
      await things.commit([['c', 'second']], { replacement: second })
      expect(await things.readPairs()).toEqual(['a=1'])
      const published = await store.publishReplacement(things.type, first)
      expect(published).toMatchObject({ put: 1, deleted: 1, kept: 0 })
      expect(published.version).toBeGreaterThan(1)
      expect(await things.readPairs()).toEqual(['b=first'])
      await store.abandonReplacement(things.type, second)
      for (const gone of [second, '987654']) {
        await expect(store.publishReplacement(things.type, gone)).rejects.toMatchObject({
          errorName: 'ReplacementNotFound',
        })
      }
      expect(await things.readPairs({ version: 1 })).toEqual(['a=1'])
    })

    it('is published between other commits, and keeps those that follow it', async () => {
      await using first = await open()
      const things = await createFixture(first)
      await using second = await openAgain()
      const replacement = await first.startReplacement(things.type)
      await things.put(keys('r', 20), { replacement })
      const commit = (n: number) =>
        (n % 2 === 0 ? first : second).commit({
          objectType: things.type,
          changes: [things.change({ k: `c${100 + n}`, text: '' })],
          basedOn: things.generation,
        })
      const numbers = Array.from({ length: 24 }, (_, n) => n)
      const before = numbers.slice(0, 12).map(commit)
      const publication = second.publishReplacement(things.type, replacement)
      const after = numbers.slice(12).map(commit)
      const { version } = await publication
      const commits = await Promise.all([...before, ...after])
      const versions = [...commits.map((one) => one.version), version]
      expect(new Set(versions).size).toBe(25)
      const left = numbers.filter((n) => (commits[n]?.version ?? 0) > version)
      expect(await things.readKeys()).toEqual([
        ...left.map((n) => `c${100 + n}`),
        ...keys('r', 20).map(({ k }) => k),
      ])
      expect(await things.readKeys({ version: version - 1 })).toHaveLength(24 - left.length)
    })
  })

  describe(`the ${name} store: open replacements`, () => {
    it('are limited per object type', async () => {
      await using store = await open()
      const { type: one } = await createFixture(store)
      const { type: other } = await createFixture(store, OTHERS)
      await using second = await openAgain()
      const stores = [store, second]
      const started = await Promise.all(
        Array.from({ length: OPEN_REPLACEMENTS_MAX }, (_, n) =>
          stores[n % 2]?.startReplacement(one),
        ),
      )
      const refused = {
        errorName: 'ReplacementsExceededLimit',
        parameters: { objectType: one.apiName, replacementsLimit: OPEN_REPLACEMENTS_MAX },
      }
      await expect(second.startReplacement(one)).rejects.toMatchObject(refused)
      await store.startReplacement(other)
      await store.publishReplacement(one, started[0] ?? '')
      await store.startReplacement(one)
      await expect(store.startReplacement(one)).rejects.toMatchObject(refused)
      await store.abandonReplacement(one, started[1] ?? '')
      await store.startReplacement(one)
    })
  })

  describe(`the ${name} store: opened twice`, () => {
    it('creates one store even if several open it at once', async () => {
      await using first = await open()
      await using stores = new AsyncDisposableStack()
      const others = await Promise.all(Array.from({ length: 4 }, openAgain))
      for (const other of others) stores.use(other)
      const keys = await Promise.all([first, ...others].map((store) => store.readPageTokenKeys()))
      for (const one of keys) expect(one).toEqual(keys[0])
    })

    it('sees commits, replacements, reclaim and definitions of the other', async () => {
      await using first = await open()
      const things = await createFixture(first)
      await using second = await openAgain()
      const on = async (what = {}) => {
        const page = await second.readPage(pageRequest(things.type, what))
        return page === 'reclaimed' ? page : [page.version, page.count]
      }
      expect(await on()).toEqual([0, 0])
      await things.commit([['a', '1']])
      expect(await on()).toEqual([1, 1])
      const replacement = await first.startReplacement(things.type)
      await second.commit({
        objectType: things.type,
        changes: [things.change({ k: 'x', text: '' }), things.change({ k: 'y', text: '' })],
        basedOn: things.generation,
        replacement,
      })
      const { version } = await first.publishReplacement(things.type, replacement)
      expect(await on()).toEqual([version, 2])
      expect(await on({ version: 1 })).toEqual([1, 1])
      expect(await second.reclaim(retention(3000))).toBe(1)
      expect(await on({ version: 1 })).toBe('reclaimed')
      expect(await first.readPage(pageRequest(things.type, { version: 1 }))).toBe('reclaimed')
    })

    it('adds a property with one, and writes and queries it with the other', async () => {
      await using first = await open()
      const things = await createFixture(first)
      await things.commit([['a', '1']])
      await using second = await openAgain()
      expect((await second.readCatalogue()).ontologies).toHaveLength(1)
      const wider = await createFixture(first, {
        apiName: 'things',
        objectTypes: [
          {
            apiName: 'thing',
            primaryKey: 'k',
            properties: {
              k: { type: 'string' },
              text: { type: 'string' },
              more: { type: 'integer' },
            },
          },
        ],
      })
      const { generation } = await second.readCatalogue()
      expect(generation).toBe(wider.generation)
      await second.commit({
        objectType: wider.type,
        changes: [wider.change({ k: 'b', more: 7 })],
        basedOn: generation,
      })
      const seven = {
        kind: 'compare',
        field: { property: 'more', structField: undefined },
        operator: 'eq',
        value: 7,
      } as const
      expect(await wider.readKeys({ query: seven })).toEqual(['b'])
      expect(await wider.readKeys({ query: { kind: 'not', of: seven } })).toEqual(['a'])
      expect(await wider.readKeys({ query: { kind: 'isNull', property: 'more' } })).toEqual(['a'])
    })

    it('serves concurrent writers of several types without losing a change', async () => {
      await using first = await open()
      const things = await createFixture(first)
      await using second = await openAgain()
      const others = await createFixture(first, OTHERS)
      const { generation } = await second.readCatalogue()
      // All of them write the same objects in different orders, and one object of their own.
      const commits = Array.from({ length: 40 }, async (_, n) => {
        const { type, change } = n % 4 < 2 ? things : others
        const shared = keys('s', 10).map(({ k }) => change({ k, text: String(n) }))
        const changes = [...(n % 3 === 0 ? shared : shared.toReversed()), change({ k: `own${n}` })]
        const store = n % 2 === 0 ? first : second
        return store.commit({ objectType: type, changes, basedOn: generation })
      })
      await Promise.all(commits)
      for (const { readPage, readKeys, readPairs } of [things, others]) {
        expect((await readPage()).version).toBe(20)
        expect(await readKeys()).toHaveLength(30)
        const shared = (await readPairs()).filter((shown) => shown.startsWith('s'))
        expect(new Set(shared.map((shown) => shown.split('=')[1])).size).toBe(1)
      }
    })

    it('shows a consistent state on each page during concurrent writes', async () => {
      await using first = await open()
      const things = await createFixture(first)
      await using second = await openAgain()
      let stop = false
      const writing = (async () => {
        for (let n = 0; !stop; n += 1) {
          const pairs = keys('k', 30).map(({ k }) => [k, n % 2 === 0 ? 'x' : null] as const)
          await things.commit(pairs)
        }
      })()
      for (let read = 0; read < 100; read += 1) {
        const page = await second.readPage(pageRequest(things.type, { maxObjects: 20 }))
        if (page === 'reclaimed') throw new Error('reclaimed')
        expect([page.count, page.more, page.totalCount]).toEqual(
          page.version % 2 === 1 ? [20, true, 30] : [0, false, 0],
        )
        await nextTurn()
      }
      stop = true
      await writing
    })
  })
}

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

function keys(prefix: string, count: number): { k: string; text: string }[] {
  return Array.from({ length: count }, (_, n) => ({ k: `${prefix}${100 + n}`, text: '' }))
}
