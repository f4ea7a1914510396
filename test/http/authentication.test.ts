import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiToken, revokeApiTokensNamed } from '../../src/access/api-tokens.ts'
import { hashSecret } from '../../src/access/credentials.ts'
import { AVIATION, NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type SendOptions, type Service, startService } from '../support/service.ts'
import { requestPage, type Walk } from '../support/walk.ts'

const LIST = '/api/v1/ontologies/numbers/objects/number'
const SEARCH = '/api/family/v1/objects/types/number/search'
const search: SendOptions = { json: { query: { type: 'empty' } } }

describe('authentication', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.apply(AVIATION)
    await service.put('numbers', 'number', numbers(20))
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const endpoints: readonly [method: string, path: string][] = [
    ['GET', LIST],
    ['POST', SEARCH],
    ['PUT', '/api/admin/v1/ontologies/numbers'],
    ['GET', '/api/admin/v1/ontologies/numbers'],
    ['POST', '/api/admin/v1/ontologies/numbers/objects/number'],
  ]
  it.each(endpoints)('[5.1] [5.2] [4.3.6] %s %s requires a bearer token', async (method, path) => {
    const none = await service.send(path, { method, token: null })
    expect(none.status).toBe(401)
    expect(none.body).toMatchObject({ errorCode: 'UNAUTHORIZED', errorName: 'MissingCredentials' })
    expect(none.headers.get('www-authenticate')).toBe('Bearer')
    const wrong = await service.send(path, { method, token: `${ADMIN_TOKEN}x` })
    expect(wrong.status).toBe(401)
    expect(wrong.body.errorName).toBe('Default:Unauthorized')
  })

  it('[5.2] accepts the scheme Bearer in any case, followed by any number of spaces', async () => {
    for (const scheme of ['Bearer ', 'bearer ', 'BEARER ', 'bEaReR   ']) {
      const authorization = scheme + ADMIN_TOKEN
      const answer = await service.send(LIST, { token: null, headers: { authorization } })
      expect([authorization, answer.status]).toEqual([authorization, 200])
    }
    const others = [
      `Basic ${ADMIN_TOKEN}`,
      ADMIN_TOKEN,
      'Bearer ',
      'Bearer',
      `Bearer${ADMIN_TOKEN}`,
    ]
    for (const authorization of others) {
      const answer = await service.send(LIST, { token: null, headers: { authorization } })
      expect([authorization, answer.status]).toEqual([authorization, 401])
      expect(answer.body.parameters).toEqual({ error: 'NOT_A_BEARER_TOKEN' })
    }
  })

  const walks: readonly Walk[] = [
    { revision: '1.0', ontology: 'numbers', objectType: 'number', pageSize: 5 },
    { revision: '2.0', ontology: 'numbers', objectType: 'number', pageSize: 5 },
  ]
  it.each(walks)('[5.1] is required for every page of revision $revision', async (walk) => {
    const token = await service.createToken({ name: `walker-${walk.revision}` })
    const first = await requestPage(service, { ...walk, token })
    await service.revokeTokens(`walker-${walk.revision}`)
    const second = await requestPage(service, { ...walk, token }, first.body.nextPageToken)
    expect(first.status).toBe(200)
    expect(second.status).toBe(401)
    expect(second.body).toMatchObject({
      errorName: 'Default:Unauthorized',
      parameters: { error: 'REVOKED' },
    })
  })

  it('[5.2] fails after the token expires', async () => {
    const token = await service.createToken({ expiresAtMs: service.clock.now + 1000 })
    expect((await service.send(LIST, { token })).status).toBe(200)
    service.clock.now += 1000
    const late = await service.send(LIST, { token })
    expect(late.status).toBe(401)
    expect(late.body.parameters).toEqual({ error: 'EXPIRED' })
  })

  it('[5.2] a token allows only what its scopes allow', async () => {
    const reader = await service.createToken({ scopes: ['api:ontologies-read'] })
    const writer = await service.createToken({ scopes: ['api:ontologies-write'] })
    const denied = [
      await service.send('/api/admin/v1/ontologies/numbers/objects/number/1', {
        token: reader,
        method: 'DELETE',
      }),
      await service.send('/api/admin/v1/status', { token: reader }),
      await service.send('/api/admin/v1/ontologies/numbers', {
        token: reader,
        method: 'PUT',
        json: NUMBERS,
      }),
      await service.send(LIST, { token: writer }),
      await service.send(SEARCH, { ...search, token: writer }),
    ]
    for (const answer of denied) {
      expect(answer.status).toBe(403)
      expect(answer.body.errorName).toBe('ApiUsageDenied')
      expect(answer.body.parameters.missingScope).toMatch(/^api:(?:ontologies-|admin$)/)
    }
  })

  it('[5.2] an ontology that is hidden from the caller is not found, and cannot be written', async () => {
    const token = await service.createToken({
      scopes: ['api:ontologies-read', 'api:ontologies-write'],
      ontologies: ['aviation'],
    })
    const seen = await service.send('/api/v1/ontologies/aviation/objects/airport', { token })
    expect(seen.status).toBe(200)
    const hidden = [
      await service.send(LIST, { token }),
      await service.send(SEARCH, { ...search, token }),
      await service.send('/api/admin/v1/ontologies/numbers', { token }),
      await service.send('/api/admin/v1/ontologies/numbers/objects/number', {
        token,
        body: '{"put":{"n":1}}',
        headers: { 'content-type': 'application/x-ndjson' },
      }),
    ]
    for (const answer of hidden) {
      expect(answer.status).toBe(404)
      expect(answer.body.errorName).toBe('OntologyNotFound')
    }
    for (const definition of [NUMBERS, { ...NUMBERS, apiName: 'fresh', families: [] }]) {
      const answer = await service.send(`/api/admin/v1/ontologies/${definition.apiName}`, {
        token,
        method: 'PUT',
        json: definition,
      })
      expect([definition.apiName, answer.status]).toEqual([definition.apiName, 403])
    }
  })

  it('[5.2] a token can be limited to an ontology by its RID', async () => {
    const { body } = await service.send('/api/admin/v1/ontologies/aviation')
    const token = await service.createToken({ ontologies: [body.rid] })
    expect(
      (await service.send('/api/v1/ontologies/aviation/objects/airport', { token })).status,
    ).toBe(200)
    expect((await service.send(LIST, { token })).status).toBe(404)
  })

  it('[5.2] the secret of a token is random, and stored only as a hash', async () => {
    const { store } = service
    const spec = {
      name: 'ci',
      scopes: ['api:admin'],
      ontologies: undefined,
      policies: ['own', 'all'],
      expiresAtMs: 9,
    } as const
    const first = await createApiToken(store, spec, 5)
    const second = await createApiToken(store, { ...spec, policies: undefined }, 5)
    expect(first.secret).toMatch(/^oqs_[\w-]{43}$/)
    expect(first.secret).not.toBe(second.secret)
    expect(await store.findApiToken(hashSecret(first.secret))).toEqual(first.token)
    expect(first.token).toEqual({
      ...spec,
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      policies: [['own', 'all']],
      createdAtMs: 5,
    })
    expect(second.token.policies).toBeUndefined()
  })

  it('[5.2] a token is revoked by its id, or with all tokens of its name', async () => {
    const { store } = service
    const create = (name: string) =>
      createApiToken(store, { name, scopes: [], ontologies: undefined, expiresAtMs: undefined }, 5)
    const [name, other] = [randomUUID(), randomUUID()]
    await create(name)
    await create(name)
    const { token } = await create(other)
    expect(await revokeApiTokensNamed(store, name, 7)).toHaveLength(2)
    expect((await store.findApiTokenById(token.id))?.revokedAtMs).toBeUndefined()
    expect(await revokeApiTokensNamed(store, token.id, 7)).toEqual([token.id])
    expect((await store.findApiTokenById(token.id))?.revokedAtMs).toBe(7)
  })

  it('health, readiness and the API description need no token', async () => {
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs/']) {
      expect([path, (await service.send(path, { token: null })).status]).toEqual([path, 200])
    }
  })
})
