import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AVIATION, NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'

const TOKENS = '/api/admin/v1/tokens'
const CLIENTS = '/api/admin/v1/clients'

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.apply(NUMBERS)
  await service.apply(AVIATION)
  await service.put('numbers', 'number', numbers(3))
  await service.put('numbers', 'number', numbers(2, 2))
})
afterAll(() => service[Symbol.asyncDispose]())

describe('what readers see of an ontology', () => {
  it('the definition, with the read scope or the write scope', async () => {
    const path = '/api/admin/v1/ontologies/numbers'
    const expected = (await service.send(path)).body
    for (const scope of ['api:ontologies-read', 'api:ontologies-write'] as const) {
      const token = await service.createToken({ scopes: [scope] })
      expect((await service.send(path, { token })).body).toEqual(expected)
    }
    const token = await service.createToken({ scopes: ['api:admin'] })
    expect((await service.send(path, { token })).body).toMatchObject({
      errorName: 'ApiUsageDenied',
      parameters: { missingScope: 'api:ontologies-read' },
    })
    const other = await service.createToken({ ontologies: ['aviation'] })
    expect((await service.send(path, { token: other })).body.errorName).toBe('OntologyNotFound')
  })

  it('the number of objects of every type, and the version that has them', async () => {
    const counts = (ontology: string) => `/api/admin/v1/ontologies/${ontology}/counts`
    const { headers, body } = await service.send(counts('numbers'))
    expect(body).toEqual({ objectTypes: { number: { count: 4, version: 2 } } })
    const unchanged = await service.send(counts('numbers'), {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    })
    expect(unchanged.status).toBe(304)
    const empty = { count: 0, version: 0 }
    const aviation = (await service.send(counts('aviation'))).body.objectTypes
    expect(aviation).toEqual({ airport: empty, country: empty })
    const token = await service.createToken({ ontologies: ['aviation'] })
    expect((await service.send(counts('aviation'), { token })).status).toBe(200)
    expect((await service.send(counts('numbers'), { token })).status).toBe(404)
    const writer = await service.createToken({ scopes: ['api:ontologies-write'] })
    expect((await service.send(counts('numbers'), { token: writer })).status).toBe(403)
  })
})

describe('the admin scope', () => {
  it.each([
    ['GET', TOKENS],
    ['POST', TOKENS],
    ['DELETE', `${TOKENS}/x`],
    ['GET', CLIENTS],
    ['POST', CLIENTS],
    ['DELETE', `${CLIENTS}/x`],
    ['GET', '/api/admin/v1/status'],
  ])('%s %s needs it, without a limit to ontologies', async (method, path) => {
    const scopes = ['api:ontologies-read', 'api:ontologies-write'] as const
    const json = method === 'POST' ? { json: { name: 'x' } } : {}
    const token = await service.createToken({ scopes })
    expect((await service.send(path, { method, token, ...json })).body).toMatchObject({
      errorName: 'ApiUsageDenied',
      parameters: { missingScope: 'api:admin' },
    })
    const limited = await service.createToken({ scopes: ['api:admin'], ontologies: ['numbers'] })
    const refused = await service.send(path, { method, token: limited, ...json })
    expect([refused.status, refused.body.errorName]).toEqual([403, 'ApiUsageDenied'])
    const admin = await service.createToken({ scopes: ['api:admin'] })
    const { status } = await service.send(path, { method, token: admin, ...json })
    expect([200, 404]).toContain(status)
  })
})

describe('tokens over HTTP', () => {
  it('are created, used, listed without secrets, and revoked', async () => {
    const json = {
      name: 'reports',
      scopes: ['api:ontologies-read', 'api:ontologies-read'],
      ontologies: ['numbers'],
      days: 2,
    }
    const created = await service.send(TOKENS, { json })
    const { token, ...stored } = created.body
    expect(created.headers.get('cache-control')).toContain('no-store')
    expect(stored).toEqual({
      id: stored.id,
      name: 'reports',
      scopes: ['api:ontologies-read'],
      ontologies: ['numbers'],
      createdAt: new Date(service.clock.now).toISOString(),
      expiresAt: new Date(service.clock.now + 172_800_000).toISOString(),
      state: 'active',
    })
    const path = '/api/v1/ontologies/numbers/objects/number'
    expect((await service.send(path, { token })).status).toBe(200)
    const list = await service.send(TOKENS)
    expect(list.body.data).toContainEqual({ ...stored, lastUsedAt: stored.createdAt })
    expect(list.text).not.toContain(token)

    const revoke = () => service.send(`${TOKENS}/${stored.id}`, { method: 'DELETE' })
    expect((await revoke()).body).toMatchObject({ id: stored.id, state: 'revoked' })
    expect((await service.send(path, { token })).body.parameters).toEqual({ error: 'REVOKED' })
    expect((await revoke()).body).toMatchObject({
      errorName: 'ApiTokenNotFound',
      parameters: { token: stored.id },
    })
    const after = (await service.send(TOKENS)).body.data
    expect(after.find(({ id }: { id: string }) => id === stored.id).state).toBe('revoked')
  })

  it('tell when they were last used, to within five minutes', async () => {
    const token = await service.createToken({ name: 'watched' })
    const lastUse = async () => {
      const { data } = (await service.send(TOKENS)).body
      return data.find(({ name }: { name: string }) => name === 'watched').lastUsedAt
    }
    const useAfter = async (ms: number) => {
      service.clock.now += ms
      await service.send('/api/admin/v1/me', { token })
      return new Date(service.clock.now).toISOString()
    }
    expect(await lastUse()).toBeUndefined()
    const first = await useAfter(1000)
    expect(await lastUse()).toBe(first)
    await useAfter(299_999)
    expect(await lastUse()).toBe(first)
    const later = await useAfter(1)
    expect(await lastUse()).toBe(later)
    // A use is stored, so that other processes tell it as well.
    await expect
      .poll(() => service.store.documents.list('credentialUse', service.clock.now))
      .toContainEqual(expect.objectContaining({ body: service.clock.now }))
  })

  it('revoke themselves at the end of a session', async () => {
    const end = (token?: string) =>
      service.send('/api/admin/v1/sessions', { method: 'DELETE', ...(token && { token }) })
    const token = await service.createToken({ name: 'session' })
    expect((await end(token)).body).toEqual({})
    expect((await end(token)).body.parameters).toEqual({ error: 'REVOKED' })
    const refused = await end()
    expect([refused.status, refused.body.errorName]).toEqual([403, 'ApiUsageDenied'])
  })

  it('read everywhere and never expire by default', async () => {
    const { body } = await service.send(TOKENS, {
      json: { name: 'plain', scopes: null, days: null },
    })
    expect(body.scopes).toEqual(['api:ontologies-read'])
    expect(body).not.toHaveProperty('ontologies')
    expect(body).not.toHaveProperty('expiresAt')
  })

  it('are revoked by id, not by name', async () => {
    const revoke = (id: string) => service.send(`${TOKENS}/${id}`, { method: 'DELETE' })
    await service.createToken({ name: 'by-name' })
    expect((await revoke('by-name')).status).toBe(404)
    // The name of the second token is the id of the first.
    const { id } = (await service.send(TOKENS, { json: { name: 'first' } })).body
    const { token } = (await service.send(TOKENS, { json: { name: id } })).body
    expect((await revoke(id)).body.name).toBe('first')
    expect((await service.send('/api/v1/ontologies', { token })).status).toBe(200)
  })

  it.each([
    [{}],
    [{ name: '' }],
    [{ name: 'no\u0000line' }],
    [{ name: 'x', scopes: [] }],
    [{ name: 'x', scopes: ['everything'] }],
    [{ name: 'x', ontologies: [] }],
    [{ name: 'x', days: 0 }],
    [{ name: 'x', days: 36_501 }],
    [{ name: 'x', secret: 'chosen' }],
  ])('%j is refused', async (json) => {
    const { status, body } = await service.send(TOKENS, { json })
    expect([status, body.errorName]).toEqual([422, 'Conjure:UnprocessableEntity'])
  })
})

describe('clients over HTTP', () => {
  it('are created, used, listed without secrets, and revoked with their tokens', async () => {
    const created = await service.send(CLIENTS, { json: { name: 'nightly', days: 1 } })
    const { clientSecret, ...stored } = created.body
    expect(stored).toMatchObject({ name: 'nightly', public: false, redirectUris: [] })
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: stored.id,
      client_secret: clientSecret,
    })
    const { body } = await service.send('/multipass/api/oauth2/token', {
      token: null,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    })
    const token = body.access_token
    expect((await service.send('/api/v1/ontologies', { token })).status).toBe(200)
    const list = await service.send(CLIENTS)
    expect(list.body.data).toContainEqual({ ...stored, lastUsedAt: stored.createdAt })
    expect(list.text).not.toContain(clientSecret)

    const revoke = () => service.send(`${CLIENTS}/${stored.id}`, { method: 'DELETE' })
    expect((await revoke()).body).toEqual(stored)
    expect((await service.send('/api/v1/ontologies', { token })).status).toBe(401)
    expect((await revoke()).body.errorName).toBe('OAuthClientNotFound')
    const { data } = (await service.send(CLIENTS)).body
    expect(data.map(({ id }: { id: string }) => id)).not.toContain(stored.id)
  })

  it('have no secret if they are public, and need a redirect URI', async () => {
    const uri = 'http://localhost:3000/callback'
    const json = { name: 'web', public: true, redirectUris: [uri] }
    const { body } = await service.send(CLIENTS, { json })
    expect(body).toMatchObject({ public: true, redirectUris: [uri] })
    expect(body).not.toHaveProperty('clientSecret')
    const refused = await service.send(CLIENTS, { json: { name: 'web', public: true } })
    expect([refused.status, refused.body.parameters.parameter]).toEqual([422, 'redirectUris'])
    const wrong = await service.send(CLIENTS, { json: { name: 'x', redirectUris: ['/relative'] } })
    expect([wrong.status, wrong.body.parameters.parameter]).toEqual([422, 'redirectUris[0]'])
  })
})

describe('the status', () => {
  it('shows the store, every type, the cache and the work in progress', async () => {
    const replacements = '/api/admin/v1/ontologies/numbers/objects/number/replacements'
    const { replacement } = (await service.send(replacements, { method: 'POST' })).body
    service.clock.now += 5000
    const { body, headers } = await service.send('/api/admin/v1/status')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body.version).toMatch(/^\d+\.\d+\.\d+/)
    expect(body.store.release).toBe(body.version)
    expect(body.uptimeSeconds).toBeGreaterThanOrEqual(5)
    expect(body.process.residentBytes).toBeGreaterThan(body.process.heapBytes)
    expect(body.process.heapBytes).toBeGreaterThan(1_000_000)
    expect(body.process.busyMs).toBeGreaterThan(0)
    expect(['sqlite', 'postgresql']).toContain(body.store.kind)
    expect(body.store.reachable).toBe(true)
    expect(body.store.storedBytes).toBeGreaterThan(1000)
    expect(body.pageCache.maxBytes).toBeGreaterThan(0)
    const number = { ontology: 'numbers', objectType: 'number' }
    expect(body.objectTypes).toHaveLength(3)
    expect(body.objectTypes).toContainEqual(
      expect.objectContaining({ ...number, count: 4, version: 2, oldestVersion: 0 }),
    )
    expect(body.backgroundWork).toEqual({
      replacements: [{ ...number, replacement, count: 0 }],
      rewrites: [],
      tablesToRemove: 0,
      reclaiming: false,
    })
    await service.send(`${replacements}/${replacement}`, { method: 'DELETE' })
    const { backgroundWork } = (await service.send('/api/admin/v1/status')).body
    expect(backgroundWork).toMatchObject({ replacements: [], tablesToRemove: 1 })
  })
})
