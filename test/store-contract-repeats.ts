/**
 * Every write of the port, sent twice, as a client does after a lost response. The repetition gets
 * the first answer with every member, or the answer that the port states for it.
 */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { planChange } from '../src/ontology/definition/change-definition.ts'
import type {
  ApiToken,
  Batch,
  Commit,
  IdempotencyKey,
  ObjectStore,
  PublishMode,
} from '../src/store/object-store.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { createFixture, type StoreFixture, thingsDefinition } from './support/store-fixture.ts'

const MODES: readonly PublishMode[] = ['replace', 'upsert', 'append']

/** What publishing `a` and `b` over `a` and `c` answers. */
const PUBLISHED: Readonly<Record<PublishMode, Omit<Commit, 'version'>>> = {
  replace: { put: 2, deleted: 2, kept: 0 },
  upsert: { put: 2, deleted: 0, kept: 0 },
  append: { put: 1, deleted: 0, kept: 1 },
}

function once(key: string): IdempotencyKey {
  return { callerId: 'me', key, fingerprint: () => key, nowMs: 1000, expiresAtMs: 9000 }
}

const token = (id: string, issuedTo?: string): ApiToken => ({
  id,
  name: id,
  scopes: ['api:ontologies-read'],
  ontologies: undefined,
  createdAtMs: 1,
  expiresAtMs: undefined,
  revokedAtMs: undefined,
  issue: issuedTo ? { clientId: issuedTo, grantId: 'g', subjectId: undefined } : undefined,
})

export function repeatContract({ name, open, openAgain }: StoreUnderTest): void {
  describe(`the ${name} store: repeated writes`, () => {
    let store: ObjectStore
    let things: StoreFixture
    beforeEach(async () => {
      store = await open()
      things = await createFixture(store)
    })
    afterEach(() => store[Symbol.asyncDispose]())

    const batch = (objects: readonly object[], more: Partial<Batch> = {}): Batch => ({
      objectType: things.type,
      basedOn: things.generation,
      changes: objects.map(things.change),
      ...more,
    })

    it('answer a put with the note of the first time, whether the object was new', async () => {
      const notes = { created: 'new', replaced: 'known' }
      const put = (k: string, key: string) =>
        store.commit(batch([{ k, text: key }], { notes, idempotencyKey: once(key) }))
      // Together, so that some share a transaction, in which each finds the objects before it.
      const puts = [...'aabcabcc'].map((k, at) => [k, `${k}${at}`] as const)
      const commits = await Promise.all(puts.map(([k, key]) => put(k, key)))
      const noted = puts.map(([k], at) => `${k} ${commits[at]?.note}`)
      expect(noted.toSorted()).toEqual([
        ...['a known', 'a known', 'a new', 'b known', 'b new', 'c known', 'c known', 'c new'],
      ])
      const repeated = await Promise.all(puts.map(([k, key]) => put(k, key)))
      expect(repeated).toEqual(commits.map((commit) => ({ ...commit, isRepeated: true })))
    })

    it('answer a batch with a key as the first time, whatever it counts', async () => {
      await things.commit([
        ['a', '1'],
        ['x', '1'],
      ])
      const replacement = await store.startReplacement(things.type)
      const ab = [
        { k: 'a', text: '2' },
        { k: 'b', text: '2' },
      ]
      const counts = async (request: () => Batch) => {
        const first = await store.commit(request())
        // Another write comes between the two, which the repetition must not report.
        await things.commit([['z', '']])
        expect(await store.commit(request())).toEqual({ ...first, isRepeated: true })
        const { put, deleted, kept } = first
        return [put, deleted, kept]
      }
      const stream = async function* () {
        yield ab.map(things.change)
      }
      expect(
        await counts(() => batch(ab, { idempotencyKey: once('keep'), keepsExisting: true })),
      ).toEqual([1, 0, 1])
      const changes = [...ab.map(things.change), { delete: 'x' }]
      expect(await counts(() => batch([], { idempotencyKey: once('both'), changes }))).toEqual([
        2, 1, 0,
      ])
      expect(await counts(() => batch([], { idempotencyKey: once('none') }))).toEqual([0, 0, 0])
      expect(
        await counts(() => batch([], { idempotencyKey: once('stream'), changes: stream() })),
      ).toEqual([2, 0, 0])
      expect(await counts(() => batch(ab, { idempotencyKey: once('load'), replacement }))).toEqual([
        2, 0, 0,
      ])
    })

    it.each(MODES)('answer a publication as the first time: %s', async (mode) => {
      await things.commit([
        ['a', '1'],
        ['c', '1'],
      ])
      const replacement = await store.startReplacement(things.type)
      await things.commit(
        [
          ['a', '2'],
          ['b', '2'],
        ],
        { replacement },
      )
      const publish = (by = store) => by.publishReplacement(things.type, replacement, mode)
      const first = await publish()
      expect(first).toEqual({ version: first.version, ...PUBLISHED[mode] })
      const after = await things.readPairs()
      await using other = await openAgain()
      expect(await publish(other)).toEqual(first)
      await things.commit([['z', '3']])
      expect(await publish()).toEqual(first)
      expect(await things.readPairs()).toEqual([...after, 'z=3'])
    })

    it('answer concurrent publications with one result', async () => {
      await things.commit([['a', '1']])
      const replacement = await store.startReplacement(things.type)
      await things.commit([['a', '2']], { replacement })
      await using other = await openAgain()
      const [first, second] = await Promise.all(
        [store, other].map((by) => by.publishReplacement(things.type, replacement, 'append')),
      )
      expect(first).toMatchObject({ put: 0, kept: 1 })
      expect(second).toEqual(first)
    })

    it.each(MODES)('refuse a publication in another mode than the first: %s', async (mode) => {
      await things.commit([['a', '1']])
      const replacement = await store.startReplacement(things.type)
      await things.commit([['b', '2']], { replacement })
      const publish = (as?: PublishMode) => store.publishReplacement(things.type, replacement, as)
      const first = await publish(mode)
      const [pairs, { version }] = [await things.readPairs(), await things.readPage()]
      for (const other of MODES.filter((each) => each !== mode)) {
        await expect(publish(other)).rejects.toMatchObject({
          errorName: 'ReplacementAlreadyPublished',
          parameters: { replacement, publishedMode: mode, requestedMode: other },
        })
      }
      expect([await things.readPairs(), (await things.readPage()).version]).toEqual([
        pairs,
        version,
      ])
      expect(await publish(mode)).toEqual(first)
    })

    it('refuse to abandon a replacement twice, or one that was published', async () => {
      const [abandoned, published] = [
        await store.startReplacement(things.type),
        await store.startReplacement(things.type),
      ]
      await store.abandonReplacement(things.type, abandoned)
      await store.publishReplacement(things.type, published)
      for (const replacement of [abandoned, published]) {
        await expect(store.abandonReplacement(things.type, replacement)).rejects.toMatchObject({
          errorName: 'ReplacementNotFound',
        })
      }
      await expect(store.publishReplacement(things.type, abandoned)).rejects.toMatchObject({
        errorName: 'ReplacementNotFound',
      })
    })

    it('save a definition again without a change of its types', async () => {
      const save = async () =>
        store.saveOntology(
          planChange('things', thingsDefinition('things'), await store.readCatalogue(), randomUUID),
        )
      await things.commit([['a', '1']])
      const rid = (await store.readCatalogue()).find('things')?.rid
      expect([await save(), await save()]).toEqual(['saved', 'saved'])
      const again = (await store.readCatalogue()).find('things')
      expect([again?.rid, again?.objectTypes.get('thing')?.rid]).toEqual([rid, things.type.rid])
      // A batch that was read before is still valid.
      expect(await store.commit(batch([{ k: 'b', text: '2' }]))).toMatchObject({ put: 1 })
    })

    it('refuse to delete an ontology by an outdated catalogue', async () => {
      const catalogue = await store.readCatalogue()
      const { rid: ontologyRid = '', apiName = '' } = catalogue.find('things') ?? {}
      const deletion = { ontologyRid, apiName, basedOn: catalogue.generation, cascade: true }
      await store.deleteOntology(deletion)
      await expect(store.deleteOntology(deletion)).rejects.toMatchObject({
        errorName: 'OntologyDefinitionOutOfSync',
      })
    })

    it('return the recorded response of a definition or a deletion with a key', async () => {
      const note = (key: string) => ({ ...once(key), note: `the response of ${key}` })
      const noted = { version: 0, put: 0, deleted: 0, kept: 0, isRepeated: true }
      const change = planChange(
        'others',
        thingsDefinition('others'),
        await store.readCatalogue(),
        randomUUID,
      )
      expect(await store.findEarlierCommit(once('save'))).toBeUndefined()
      await store.saveOntology({ ...change, idempotencyKey: note('save') })
      const catalogue = await store.readCatalogue()
      const { rid: ontologyRid = '', apiName = '' } = catalogue.find('others') ?? {}
      const { generation } = catalogue
      const remove = (basedOn: number) =>
        store.deleteOntology({
          ontologyRid,
          apiName,
          basedOn,
          cascade: false,
          idempotencyKey: note('delete'),
        })
      await remove(generation)
      // The key is found in use, also by a process that knows of the deletion.
      await expect(remove(generation)).rejects.toMatchObject({
        errorName: 'OntologyDefinitionOutOfSync',
      })
      await using other = await openAgain()
      await expect(remove((await other.readCatalogue()).generation)).rejects.toMatchObject({
        errorName: 'IdempotencyKeyReused',
      })
      for (const key of ['save', 'delete']) {
        expect(await other.findEarlierCommit(once(key))).toEqual({
          ...noted,
          note: `the response of ${key}`,
        })
      }
      const reused = { ...once('save'), fingerprint: () => 'another request' }
      await expect(other.findEarlierCommit(reused)).rejects.toMatchObject({
        errorName: 'IdempotencyKeyReused',
      })
    })

    it('tell who was first to cancel, take, delete or revoke', async () => {
      const twice = async <T>(write: () => Promise<T>) => [await write(), await write()]
      const { documents } = store
      const rid = (await store.readCatalogue()).find('things')?.rid ?? ''
      expect(await twice(() => store.definitionChanges.cancel(rid))).toEqual([false, false])
      const document = { kind: 'policy', id: 'p', body: 1, expiresAtMs: 100 } as const
      await twice(() => documents.put(document))
      expect(await documents.list('policy', 0)).toEqual([document])
      expect(await twice(() => documents.extend('policy', 'p', 200, 0))).toEqual([true, true])
      expect(await twice(() => documents.take('policy', 'p', 0))).toEqual([
        { ...document, expiresAtMs: 200 },
        undefined,
      ])
      await documents.put(document)
      expect(await twice(() => documents.delete('policy', 'p'))).toEqual([true, false])
      await store.createApiToken(token('t'), 'hash')
      await expect(store.createApiToken(token('t'), 'hash')).rejects.toThrow()
      await store.createApiToken(token('issued', 'client'), 'other hash')
      expect(await twice(() => store.revokeIssuedTokens('client', 5))).toEqual([1, 0])
      expect(await twice(() => store.revokeApiTokens(['t'], 5))).toEqual([1, 0])
      expect((await store.findApiTokenById('t'))?.revokedAtMs).toBe(5)
      await twice(() => store.deleteApiTokens(['t']))
      expect(await store.listApiTokens()).toEqual([])
    })
  })
}
