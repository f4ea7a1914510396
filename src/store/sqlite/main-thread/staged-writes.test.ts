import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextRound } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  createFixture,
  openFixture,
  retention,
  type StoreFixture,
} from '../../../../test/support/store-fixture.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import type {
  Change,
  Commit,
  CurrentObject,
  ObjectStore,
  ReadPageRequest,
} from '../../object-store.ts'
import { openWriterConnection } from '../file/connection.ts'
import { openSqliteStore } from '../open.ts'
import { undoStaged } from '../staged/undo-staged.ts'
import { listStaged } from '../writes/staged-record.ts'

/** Steps of two changes, so that a batch of a few hundred takes many of them. */
const OPTIONS = { changesAtOnceMax: 2 }
/** No process has this number. */
const NOBODY = 2 ** 22 + 1

/** A context of a caller, whose client can leave. */
function caller(callerId: string) {
  const left = new AbortController()
  return { left, context: { callerId, signal: () => left.signal } }
}

function textIs(value: string) {
  const field = { property: 'text', structField: undefined }
  return { kind: 'compare', field, operator: 'eq', value } as const
}

function textHas(term: string) {
  const field = { property: 'text', structField: undefined }
  return { kind: 'text', field, match: 'allTerms', terms: [term], fuzzy: false } as const
}

const BY_TEXT = [{ property: 'text', direction: 'desc', nulls: 'last' }] as const

type Objects = Map<string, string>

/** One commit of a history: what it must change, given the objects before it. */
interface Entry {
  readonly commit: Commit
  readonly apply: (objects: Objects) => Pick<Commit, 'put' | 'deleted' | 'kept'>
}

/** What a store returned as of a version. */
interface Seen {
  readonly version: number
  readonly pairs: readonly string[]
  /** The text of all objects of the page; undefined if it has all objects. */
  readonly text?: string
}

/** Collects commits and pages, and compares them with the commits in the order of their versions. */
class History {
  readonly entries: Entry[] = []
  readonly seen: Seen[] = []

  check(): void {
    const objects: Objects = new Map()
    const after = new Map<number, readonly string[]>([[0, []]])
    const written = this.entries.filter(({ commit }) => commit.put + commit.deleted > 0)
    for (const { commit, apply } of written.sort((a, b) => a.commit.version - b.commit.version)) {
      const { version, put, deleted, kept } = commit
      expect([version, { put, deleted, kept }]).toEqual([version, apply(objects)])
      expect(after.has(version)).toBe(false)
      after.set(version, [...objects].map(([k, text]) => `${k}=${text}`).sort())
    }
    for (const { version, pairs, text } of this.seen) {
      const all = after.get(version) ?? []
      const expected = text === undefined ? all : all.filter((pair) => pair.endsWith(`=${text}`))
      expect([version, text, pairs]).toEqual([version, text, expected])
    }
  }
}

class Writer {
  readonly #store: ObjectStore
  readonly #things: StoreFixture
  readonly #history: History

  constructor(store: ObjectStore, things: StoreFixture, history: History) {
    this.#store = store
    this.#things = things
    this.#history = history
  }

  async commit(
    pairs: readonly (readonly [string, string | null])[],
    { context } = caller('small'),
    keepsExisting = false,
  ): Promise<Commit> {
    const { type, generation, change } = this.#things
    const changes = pairs.map(
      ([k, text]): Change => (text === null ? { delete: k } : change({ k, text })),
    )
    const batch = { objectType: type, changes, basedOn: generation, keepsExisting }
    const commit = await this.#store.commit(batch, context)
    const settled = new Map(pairs)
    this.#add(commit, (objects) => {
      const counts = { put: 0, deleted: 0, kept: 0 }
      for (const [k, text] of settled) {
        if (text === null) counts.deleted += objects.delete(k) ? 1 : 0
        else if (keepsExisting && objects.has(k)) counts.kept += 1
        else {
          objects.set(k, text)
          counts.put += 1
        }
      }
      return counts
    })
    return commit
  }

  /** Appends to the text of an object, or creates it. */
  async edit(k: string): Promise<void> {
    const { type, generation, change } = this.#things
    let read: CurrentObject | undefined
    const commit = await this.#store.edit(
      {
        objectType: type,
        basedOn: generation,
        keys: [k],
        decide: (current) => {
          read = current.get(k)
          return { changes: [change({ k, text: `${read?.title ?? ''}+`.slice(-3) })] }
        },
      },
      caller('editor').context,
    )
    this.#add(commit, (objects) => {
      const before = objects.get(k)
      expect(read?.title ?? undefined).toBe(
        before === undefined ? undefined : JSON.stringify(before),
      )
      objects.set(k, `${read?.title ?? ''}+`.slice(-3))
      return { put: 1, deleted: 0, kept: 0 }
    })
  }

  async deleteText(text: string, { context } = caller('deleter')): Promise<Commit> {
    const { type: objectType, generation: basedOn } = this.#things
    const request = { objectType, basedOn, query: textIs(text) }
    const commit = await this.#store.deleteMatches(request, context)
    this.#add(commit, (objects) => {
      const found = [...objects].filter(([, value]) => value === text)
      for (const [k] of found) objects.delete(k)
      return { put: 0, deleted: found.length, kept: 0 }
    })
    return commit
  }

  async read(): Promise<void> {
    await this.#readPage()
    for (const text of ['old', 'new', 'small']) {
      await this.#readPage(text, { query: textIs(text) })
      await this.#readPage(text, { query: textHas(text) })
    }
    await this.#readPage(undefined, { order: BY_TEXT })
  }

  async #readPage(text?: string, request: Partial<ReadPageRequest> = {}): Promise<void> {
    const page = await this.#things.readPage(request)
    const records = JSON.parse(`[${Buffer.from(page.records)}]`) as { properties: Row }[]
    const pairs = records.map(({ properties }) => `${properties.k}=${properties.text}`)
    expect(page.totalCount).toBe(pairs.length)
    this.#history.seen.push({ version: page.version, pairs: pairs.sort(), ...(text && { text }) })
  }

  #add(commit: Commit, apply: Entry['apply']): void {
    this.#history.entries.push({ commit, apply })
  }
}

interface Row {
  readonly k: string
  readonly text: string
}

function key(n: number): string {
  return `k${String(n).padStart(4, '0')}`
}

const pairsOf = (from: number, to: number, text: string) =>
  Array.from({ length: to - from }, (_, n) => [key(from + n), text] as const)

/** Waits until a staged write has made some steps. */
async function waitForSteps(path: string, steps: number): Promise<void> {
  using db = new DatabaseSync(path, { readOnly: true })
  const read = db.prepare('SELECT max(steps) AS steps FROM oqs_staged_write')
  while (Number(read.get()?.['steps'] ?? 0) < steps) await nextRound()
}

function countRows(path: string) {
  using db = new DatabaseSync(path, { readOnly: true })
  const count = (sql: string) =>
    Number(db.prepare(`SELECT count(*) AS count FROM ${sql}`).get()?.['count'])
  return {
    records: count('oqs_staged_write'),
    rows: count('oqs_object_1'),
  }
}

describe('a write that takes several transactions', () => {
  const large = [
    [
      'a batch',
      (writer: Writer) =>
        writer.commit([...pairsOf(50, 300, 'new'), ...deletes(300, 370)], caller('large')),
    ],
    [
      'a batch that keeps existing objects',
      (writer: Writer) => writer.commit(pairsOf(50, 370, 'new'), caller('large'), true),
    ],
    ['a deletion', (writer: Writer) => writer.deleteText('old', caller('large'))],
  ] as const
  const deletes = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => [key(from + n), null] as const)

  it.each(large)('%s is one commit among those of others', async (_, run) => {
    using folder = tempFolder()
    const path = join(folder.path, 'oqs.db')
    await using store = openSqliteStore(path, OPTIONS)
    const things = await createFixture(store)
    const history = new History()
    const writer = new Writer(store, things, history)
    await writer.commit(pairsOf(0, 330, 'old'))
    let isDone = false
    const written = run(writer).finally(() => {
      isDone = true
    })
    for (let n = 0; !isDone; n += 1) {
      const at = (n * 337) % 380
      await writer.commit([[key(at), n % 3 === 0 ? null : 'small']])
      await writer.edit(key((at + 11) % 380))
      await writer.commit([[key((at + 5) % 380), 'kept']], caller('small'), true)
      if (n % 4 === 0) await writer.deleteText('small')
      await writer.read()
    }
    await written
    await writer.read()
    // The others got their turn in between.
    expect(history.entries.length).toBeGreaterThan(2)
    history.check()
    expect(countRows(path).records).toBe(0)
  })

  it('leaves nothing behind if its client leaves', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'oqs.db')
    await using store = openSqliteStore(path, OPTIONS)
    const things = await createFixture(store)
    const history = new History()
    const writer = new Writer(store, things, history)
    await writer.commit(pairsOf(0, 100, 'old'))
    const before = countRows(path)
    const { left, context } = caller('large')
    const gone = writer.commit([...pairsOf(50, 5000, 'new')], { left, context })
    await waitForSteps(path, 3)
    left.abort(new Error('the client has left'))
    await expect(gone).rejects.toThrow('the client has left')
    expect(countRows(path)).toEqual(before)
    await writer.read()
    await writer.commit(pairsOf(90, 110, 'later'))
    await writer.read()
    history.check()
  })

  it.each(['maintenance', 'the next large write'])(
    'is undone by %s if its process ended',
    async (name) => {
      using folder = tempFolder()
      const [path, copy] = [join(folder.path, 'oqs.db'), join(folder.path, 'copy.db')]
      await using store = openSqliteStore(path, OPTIONS)
      const things = await createFixture(store)
      await things.commit(pairsOf(0, 100, 'old'))
      const before = countRows(path)
      const { left, context } = caller('large')
      const { type: objectType, generation: basedOn, change } = things
      const changes = pairsOf(50, 5000, 'new').map(([k, text]) => change({ k, text }))
      const gone = store.commit({ objectType, changes, basedOn }, context)
      await waitForSteps(path, 3)
      for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix)
      left.abort(new Error('the client has left'))
      await expect(gone).rejects.toThrow()
      {
        using db = new DatabaseSync(copy)
        db.prepare('UPDATE oqs_staged_write SET owner = ?').run(`${NOBODY}:gone`)
      }

      await using opened = openSqliteStore(copy, OPTIONS)
      const again = await openFixture(opened)
      const old = pairsOf(0, 100, 'old').map((pair) => pair.join('='))
      expect(await again.readPairs()).toEqual(old)
      if (name === 'maintenance') {
        await opened.reclaim(retention(0, 1000))
        expect(countRows(copy)).toEqual(before)
      } else {
        expect(await again.commit(pairsOf(95, 105, 'next'))).toMatchObject({ put: 10 })
        expect(await again.readPairs()).toEqual([
          ...old.slice(0, 95),
          ...pairsOf(95, 105, 'next').map((pair) => pair.join('=')),
        ])
      }
      expect(countRows(copy).records).toBe(0)
    },
  )

  it('restores a replacement whose batch was not completed', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'oqs.db')
    await using store = openSqliteStore(path, OPTIONS)
    const things = await createFixture(store)
    const { type: objectType, generation: basedOn, change } = things
    await things.commit([['z', 'visible']])
    const replacement = await store.startReplacement(objectType)
    await things.commit(pairsOf(0, 20, 'first'), { replacement })
    await things.commit([[key(3), null], ...pairsOf(5, 10, 'second')], { replacement })
    const { left, context } = caller('large')
    const changes = [
      ...deletes(0, 3).map(([k]): Change => ({ delete: k })),
      ...pairsOf(5, 5000, 'gone').map(([k, text]) => change({ k, text })),
    ]
    const gone = store.commit({ objectType, changes, basedOn, replacement }, context)
    await waitForSteps(path, 20)
    left.abort(new Error('the client has left'))
    await expect(gone).rejects.toThrow('the client has left')
    expect(await things.readPairs()).toEqual(['z=visible'])
    expect(await store.publishReplacement(objectType, replacement)).toMatchObject({ put: 19 })
    expect(await things.readPairs()).toEqual([
      ...[...pairsOf(0, 3, 'first'), ...pairsOf(4, 5, 'first')].map((pair) => pair.join('=')),
      ...pairsOf(5, 10, 'second').map((pair) => pair.join('=')),
      ...pairsOf(10, 20, 'first').map((pair) => pair.join('=')),
    ])
  })

  it('does not restore what earlier batches of a replacement have deleted', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'oqs.db')
    await using store = openSqliteStore(path, OPTIONS)
    const things = await createFixture(store)
    const { type: objectType, generation: basedOn } = things
    const replacement = await store.startReplacement(objectType)
    await things.commit(pairsOf(0, 50, 'first'), { replacement })
    // Deletes only: no row is added between both batches.
    await things.commit(deletes(0, 20), { replacement })
    const { left, context } = caller('large')
    const changes = deletes(20, 5000).map(([k]): Change => ({ delete: k }))
    const gone = store.commit({ objectType, changes, basedOn, replacement }, context)
    await waitForSteps(path, 5)
    left.abort(new Error('the client has left'))
    await expect(gone).rejects.toThrow('the client has left')
    expect(await store.publishReplacement(objectType, replacement)).toMatchObject({ put: 30 })
    const kept = pairsOf(20, 50, 'first').map((pair) => pair.join('='))
    expect(await things.readPairs()).toEqual(kept)
  })

  it('starts again if another process has begun to undo it', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'oqs.db')
    await using store = openSqliteStore(path, OPTIONS)
    const things = await createFixture(store)
    await things.commit(pairsOf(0, 100, 'old'))
    const { type: objectType, generation: basedOn, change } = things
    const changes = pairsOf(50, 600, 'new').map(([k, text]) => change({ k, text }))
    const written = store.commit({ objectType, changes, basedOn }, caller('large').context)
    await waitForSteps(path, 20)
    {
      using db = openWriterConnection(path)
      const [record] = listStaged(db)
      expect(undoStaged(db, { table: 1, version: record?.version ?? 0, maxChanges: 2 })).toBe(false)
    }
    expect(await written).toMatchObject({ put: 550, deleted: 0 })
    expect(await things.readPairs()).toEqual([
      ...pairsOf(0, 50, 'old').map((pair) => pair.join('=')),
      ...pairsOf(50, 600, 'new').map((pair) => pair.join('=')),
    ])
    expect(countRows(path).records).toBe(0)
  })

  it('starts again if its objects are replaced meanwhile', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'oqs.db')
    await using store = openSqliteStore(path, OPTIONS)
    const things = await createFixture(store)
    const { type: objectType, generation: basedOn, change } = things
    await things.commit(pairsOf(0, 10, 'old'))
    const replacement = await store.startReplacement(objectType)
    await things.commit([[key(1), 'replaced']], { replacement })
    const changes = pairsOf(5, 500, 'new').map(([k, text]) => change({ k, text }))
    const written = store.commit({ objectType, changes, basedOn }, caller('large').context)
    await waitForSteps(path, 3)
    const published = await store.publishReplacement(objectType, replacement)
    expect(published).toMatchObject({ put: 1, deleted: 10 })
    expect(await written).toMatchObject({ put: 495, deleted: 0 })
    expect(await things.readPairs()).toEqual([
      `${key(1)}=replaced`,
      ...pairsOf(5, 500, 'new').map((pair) => pair.join('=')),
    ])
  })
})
