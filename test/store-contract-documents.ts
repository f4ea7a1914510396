/** The part of the store contract about documents and API tokens. */
import { describe, expect, it } from 'vitest'
import type { ApiToken, StoredDocument } from '../src/store/object-store.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { retention } from './support/store-fixture.ts'

const HOUR_MS = 3_600_000

const token: ApiToken = {
  id: 'id-1',
  name: 'ci',
  scopes: ['api:ontologies-read'],
  ontologies: ['things'],
  policies: [['readers'], ['é', 'own']],
  createdAtMs: 1,
  expiresAtMs: 2,
  revokedAtMs: undefined,
}

function document(id: string, rest: Partial<StoredDocument> = {}): StoredDocument {
  return { kind: 'oauthClient', id, body: { id }, expiresAtMs: undefined, ...rest }
}

export function documentContract({ name, open, openAgain }: StoreUnderTest): void {
  describe(`the ${name} store: documents`, () => {
    it('finds a document by kind and id, with any JSON body', async () => {
      await using store = await open()
      const { documents } = store
      const body = { text: 'é\u0000"\\', list: [1, 2.5, null, true], deep: { a: { b: [] } } }
      await documents.put(document('a', { body }))
      expect(await documents.find('oauthClient', 'a', 0)).toEqual(document('a', { body }))
      expect(await documents.find('oauthCode', 'a', 0)).toBeUndefined()
      expect(await documents.find('oauthClient', 'b', 0)).toBeUndefined()
      await documents.put(document('a', { body: 'new', expiresAtMs: 9 }))
      expect(await documents.find('oauthClient', 'a', 8)).toMatchObject({ body: 'new' })
      expect(await documents.list('oauthClient', 8)).toHaveLength(1)
    })

    it('finds nothing under an id that clients made up', async () => {
      await using store = await open()
      for (const id of ['', '\0', 'a\0', '\ud800', 'a'.repeat(16_384)]) {
        expect(await store.documents.find('oauthClient', id, 0)).toBeUndefined()
      }
    })

    it('shows documents to every process', async () => {
      await using store = await open()
      await using other = await openAgain()
      await store.documents.put(document('a'))
      expect(await other.documents.find('oauthClient', 'a', 0)).toEqual(document('a'))
      expect(await other.documents.take('oauthClient', 'a', 0)).toEqual(document('a'))
      expect(await store.documents.find('oauthClient', 'a', 0)).toBeUndefined()
    })

    it('lists the documents of a kind by id', async () => {
      await using store = await open()
      const ids = ['b', 'B', 'é', 'a', 'aa', '\u{10000}', '\uffff']
      for (const id of ids) await store.documents.put(document(id))
      await store.documents.put(document('c', { kind: 'oauthCode' }))
      const listed = await store.documents.list('oauthClient', 0)
      expect(listed.map(({ id }) => id)).toEqual(['B', 'a', 'aa', 'b', 'é', '\uffff', '\u{10000}'])
      const withPrefix = await store.documents.list('oauthClient', 0, 'a')
      expect(withPrefix.map(({ id }) => id)).toEqual(['a', 'aa'])
    })

    it('finds several documents of a kind at once', async () => {
      await using store = await open()
      const { documents } = store
      for (const id of ['a', 'b', 'é']) await documents.put(document(id, { kind: 'policy' }))
      await documents.put(document('c'))
      const idsOf = async (...ids: string[]) =>
        (await documents.findAll('policy', ids, 0)).documents.map(({ id }) => id).toSorted()
      expect(await idsOf('é', 'b', 'c', 'd', 'b\0')).toEqual(['b', 'é'])
      expect(await idsOf()).toEqual([])
    })

    it('counts changes of policies, if it counts at all', async () => {
      await using store = await open()
      const { documents } = store
      const count = async () => (await documents.findAll('policy', ['a'], 0)).generation
      const generation = async () => (await count()) ?? 0
      await documents.put(document('a', { kind: 'policy' }))
      const [first, isCounted] = [await generation(), (await count()) !== undefined]
      await documents.put(document('c'))
      expect(await generation()).toBe(first)
      await documents.put(document('a', { kind: 'policy', body: 'changed' }))
      const second = await generation()
      expect(second > first).toBe(isCounted)
      await documents.put(document('b', { kind: 'policy' }))
      await documents.delete('policy', 'b')
      expect((await generation()) >= second + 2).toBe(isCounted)
    })

    it('gives a document to one of many that take it', async () => {
      await using store = await open()
      await using other = await openAgain()
      await store.documents.put(document('a'))
      const takers = [store, other, store, other, store, other, store, other]
      const taken = await Promise.all(
        takers.map(({ documents }) => documents.take('oauthClient', 'a', 0)),
      )
      expect(taken.filter((found) => found !== undefined)).toEqual([document('a')])
    })

    it('deletes a document once', async () => {
      await using store = await open()
      await store.documents.put(document('a'))
      await store.documents.put(document('b'))
      expect(await store.documents.delete('oauthClient', 'a')).toBe(true)
      expect(await store.documents.delete('oauthClient', 'a')).toBe(false)
      expect(await store.documents.list('oauthClient', 0)).toEqual([document('b')])
    })

    it('replaces or deletes a document only if it is the expected one', async () => {
      await using store = await open()
      const { documents } = store
      const [a, b] = ['a', 'b'].map((text) => document('x', { body: { 2: text, 1: [text] } }))
      if (a === undefined || b === undefined) return
      expect(await documents.put(b, undefined, { expected: a })).toBe(false)
      expect(await documents.put(a, undefined, { expected: null })).toBe(true)
      expect(await documents.put(b, undefined, { expected: null })).toBe(false)
      expect(await documents.put(b, undefined, { expected: b })).toBe(false)
      const stored = await documents.find('oauthClient', 'x', 0)
      expect(stored).toEqual(a)
      expect(await documents.delete('oauthClient', 'x', { expected: b })).toBe(false)
      expect(await documents.put(b, undefined, { expected: stored ?? null })).toBe(true)
      expect(await documents.delete('oauthClient', 'x', { expected: b })).toBe(true)
      expect(await documents.find('oauthClient', 'x', 0)).toBeUndefined()
    })

    it('writes for one of many that expect the same document', async () => {
      await using store = await open()
      await using other = await openAgain()
      const before = document('a')
      await store.documents.put(before)
      const written = await Promise.all(
        [store, other, store, other, store, other].map(({ documents }, index) =>
          documents.put(document('a', { body: { index } }), undefined, { expected: before }),
        ),
      )
      expect(written.filter(Boolean)).toHaveLength(1)
      const stored = await other.documents.find('oauthClient', 'a', 0)
      expect(stored?.body).toEqual({ index: written.indexOf(true) })
    })

    it('records a key and a response with a document or a token, or writes neither', async () => {
      await using store = await open()
      await using other = await openAgain()
      const once = (note: string) => ({
        callerId: 'ada',
        key: 'k',
        fingerprint: () => 'f',
        nowMs: 0,
        expiresAtMs: 100,
        note,
      })
      expect(await store.findEarlierCommit(once(''))).toBeUndefined()
      const written = await Promise.allSettled(
        [store, other, store, other].map(({ documents }, index) =>
          documents.put(document(`d${index}`), undefined, { idempotencyKey: once(`d${index}`) }),
        ),
      )
      const index = written.findIndex(({ status }) => status === 'fulfilled')
      expect(written.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(await store.documents.list('oauthClient', 0)).toEqual([document(`d${index}`)])
      expect(await other.findEarlierCommit(once(''))).toMatchObject({ note: `d${index}` })
      const reused = { errorName: 'IdempotencyKeyReused' }
      const created = other.createApiToken(token, 'hash', once('t'))
      await expect(created).rejects.toMatchObject(reused)
      expect(await other.listApiTokens()).toEqual([])
      const removed = store.documents.delete('oauthClient', `d${index}`, {
        idempotencyKey: once('gone'),
      })
      await expect(removed).rejects.toMatchObject(reused)
      expect(await store.documents.list('oauthClient', 0)).toHaveLength(1)
      const different = { ...once(''), fingerprint: () => 'g' }
      await expect(store.findEarlierCommit(different)).rejects.toMatchObject(reused)
      expect(await store.findEarlierCommit({ ...once(''), nowMs: 100 })).toBeUndefined()
      const later = { ...once('t'), nowMs: 100, expiresAtMs: 200 }
      await other.createApiToken(token, 'hash', later)
      expect(await store.findEarlierCommit(later)).toMatchObject({ note: 't' })
    })

    it('never returns a document that has expired', async () => {
      await using store = await open()
      const { documents } = store
      const expiring = document('a', { expiresAtMs: 100 })
      await documents.put(expiring)
      expect(await documents.find('oauthClient', 'a', 99)).toEqual(expiring)
      expect(await documents.list('oauthClient', 99)).toEqual([expiring])
      expect(await documents.find('oauthClient', 'a', 100)).toBeUndefined()
      expect(await documents.list('oauthClient', 100)).toEqual([])
      expect(await documents.take('oauthClient', 'a', 100)).toBeUndefined()
      expect(await documents.extend('oauthClient', 'a', 900, 100)).toBe(false)
      expect(await documents.take('oauthClient', 'a', 99)).toEqual(expiring)
    })

    it('extends only documents that exist', async () => {
      await using store = await open()
      const { documents } = store
      await documents.put(document('a', { expiresAtMs: 100 }))
      expect(await documents.extend('oauthClient', 'a', 200, 50)).toBe(true)
      expect(await documents.find('oauthClient', 'a', 199)).toMatchObject({ expiresAtMs: 200 })
      expect(await documents.extend('oauthClient', 'b', 200, 50)).toBe(false)
      expect(await documents.find('oauthClient', 'b', 50)).toBeUndefined()
    })

    it('removes expired documents by maintenance, and no others', async () => {
      await using store = await open()
      const { documents } = store
      await documents.put(document('a', { expiresAtMs: 100 }))
      await documents.put(document('b', { expiresAtMs: 101 }))
      await documents.put(document('c'))
      expect(await store.reclaim(retention(99))).toBe(0)
      expect(await store.reclaim(retention(100))).toBe(1)
      // Earlier than the expiry, so that only maintenance can have removed it.
      const left = await documents.list('oauthClient', 0)
      expect(left.map(({ id }) => id)).toEqual(['b', 'c'])
      expect(await store.reclaim(retention(100))).toBe(0)
    })
  })

  describe(`the ${name} store: API tokens`, () => {
    const issue = { clientId: 'client', grantId: 'grant', subjectId: 'id-1' }

    it('finds a token by the hash of its secret only', async () => {
      await using store = await open()
      await store.createApiToken(token, 'hash')
      expect(await store.findApiToken('hash')).toEqual(token)
      expect(await store.findApiToken('other')).toBeUndefined()
      expect(store.tokenAtHand('hash')?.token).toEqual(token)
      expect(store.tokenAtHand('other')).toBeUndefined()
      expect(await store.findApiTokenById('id-1')).toEqual(token)
      expect(await store.findApiTokenById('id-2')).toBeUndefined()
      expect(await store.listApiTokens()).toEqual([token])
    })

    it('revokes by ID, only once', async () => {
      await using store = await open()
      await store.createApiToken(token, 'hash')
      await store.createApiToken(
        { ...token, id: 'id-2', ontologies: undefined, expiresAtMs: undefined },
        'hash-2',
      )
      expect(await store.revokeApiTokens(['id-1'], 7)).toBe(1)
      expect(await store.revokeApiTokens(['ci'], 8)).toBe(0)
      expect(await store.findApiTokenById('i\0d')).toBeUndefined()
      expect(await store.revokeApiTokens(['id-1', 'id-2', 'id-3'], 8)).toBe(1)
      expect(await store.revokeApiTokens(['id-1', 'id-2'], 9)).toBe(0)
      const revoked = (await store.listApiTokens()).map((kept) => kept.revokedAtMs)
      expect(revoked).toEqual([7, 8])
    })

    it('lists no issued tokens, and revokes them by client, by grant and by subject', async () => {
      await using store = await open()
      const revokedAt = async (hash: string) => (await store.findApiToken(hash))?.revokedAtMs
      await store.createApiToken(token, 'own')
      const issued = (id: string, rest: Partial<typeof issue>) =>
        store.createApiToken({ ...token, id, issue: { ...issue, ...rest } }, id)
      await issued('a', {})
      await issued('b', { grantId: 'other' })
      await issued('c', { clientId: 'other', grantId: 'third', subjectId: 'id-9' })
      expect(await store.findApiToken('a')).toEqual({ ...token, id: 'a', issue })
      expect(await store.listApiTokens()).toEqual([token])
      expect(await store.revokeIssuedTokens('grant', 5)).toBe(1)
      expect(await Promise.all(['a', 'b', 'c'].map(revokedAt))).toEqual([5, undefined, undefined])
      expect(await store.revokeIssuedTokens('other', 6)).toBe(2)
      expect(await Promise.all(['own', 'b', 'c'].map(revokedAt))).toEqual([undefined, 6, 6])
      await issued('d', {})
      await issued('e', { subjectId: 'id-9' })
      expect(await store.revokeApiTokens(['id-1'], 7)).toBe(1)
      expect(await Promise.all(['own', 'd', 'e'].map(revokedAt))).toEqual([7, 7, undefined])
    })

    it('removes issued tokens an hour after their expiry, and no others', async () => {
      await using store = await open()
      await store.createApiToken(token, 'own')
      await store.createApiToken({ ...token, id: 'a', issue }, 'a')
      await store.createApiToken({ ...token, id: 'b', issue, expiresAtMs: 3 }, 'b')
      expect(await store.reclaim(retention(HOUR_MS + 1))).toBe(0)
      expect(await store.reclaim(retention(HOUR_MS + 2))).toBe(1)
      expect(await store.findApiToken('a')).toBeUndefined()
      expect(await store.findApiToken('b')).toBeDefined()
      expect(await store.findApiToken('own')).toBeDefined()
    })
  })
}
