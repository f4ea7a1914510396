/** OAuth clients that act for themselves, and the errors of the token endpoint. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { revokeOAuthClients } from '../../src/access/oauth/clients.ts'
import {
  asClient,
  basicOf,
  createClient,
  REVOKE_PATH,
  sendForm,
  type TestClient,
  TOKEN_PATH,
} from '../support/oauth.ts'
import { AVIATION, NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'
import { requestPage } from '../support/walk.ts'

const LIST = '/api/v1/ontologies/numbers/objects/number'
const CREDENTIALS = { grant_type: 'client_credentials' }
/** What the official SDKs ask for by default. */
const SDK_SCOPES = 'api:read-data api:write-data api:use-ontologies-read api:use-ontologies-write'

describe('an OAuth client', () => {
  let service: Service
  let client: TestClient
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.apply(AVIATION)
    await service.put('numbers', 'number', numbers(20))
    client = await createClient(service)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const getToken = (form: Record<string, string> = {}, as = client) =>
    sendForm(service, TOKEN_PATH, { ...CREDENTIALS, ...asClient(as), ...form })
  const accessToken = async (as = client) => (await getToken({}, as)).body.access_token as string
  const statusWith = async (token: string, path = LIST) =>
    (await service.send(path, { token })).status

  it.each(['form', 'basic'] as const)('gets a token with its secret in the %s', async (way) => {
    const answer =
      way === 'form'
        ? await getToken()
        : await sendForm(service, TOKEN_PATH, CREDENTIALS, basicOf(client))
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^oqs_access_[\w-]{43}$/),
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'api:ontologies-read',
    })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('pragma')).toBe('no-cache')
    expect(await statusWith(answer.body.access_token)).toBe(200)
  })

  it('gets the scopes that it asks for and may have, under their names', async () => {
    const writer = await createClient(service, {
      scopes: ['api:ontologies-read', 'api:ontologies-write'],
    })
    expect((await getToken({ scope: SDK_SCOPES })).body.scope).toBe(
      'api:read-data api:use-ontologies-read',
    )
    expect((await getToken({ scope: SDK_SCOPES }, writer)).body.scope).toBe(SDK_SCOPES)
    // Python adds it to every request; without a person there is nothing to refresh.
    const offline = await getToken({ scope: 'api:read-data offline_access' }, writer)
    expect(offline.body).toMatchObject({ scope: 'api:read-data' })
    expect(offline.body.refresh_token).toBeUndefined()
    const batch = { method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body: '' }
    const path = '/api/admin/v1/ontologies/numbers/objects/number'
    const write = async (token: string) => (await service.send(path, { ...batch, token })).status
    expect(await write(offline.body.access_token)).toBe(403)
    expect(await write(await accessToken(writer))).toBe(200)
  })

  it('is refused unknown scopes, and those that it does not have', async () => {
    for (const scope of ['api:everything', 'api:read-data nothing', 'api:write-data']) {
      const answer = await getToken({ scope })
      expect([scope, answer.status, answer.body.error]).toEqual([scope, 400, 'invalid_scope'])
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
  })

  it('sees only its ontologies', async () => {
    const limited = await createClient(service, { ontologies: ['aviation'] })
    const token = await accessToken(limited)
    expect(await statusWith(token)).toBe(404)
    expect(await statusWith(token, '/api/v1/ontologies/aviation')).toBe(200)
  })

  it('uses a token until it expires', async () => {
    const token = await accessToken()
    service.clock.now += 3_599_000
    expect(await statusWith(token)).toBe(200)
    service.clock.now += 1000
    const answer = await service.send(LIST, { token })
    expect([answer.status, answer.body.parameters]).toEqual([401, { error: 'EXPIRED' }])
  })

  it('expires with its tokens', async () => {
    const expiresAtMs = service.clock.now + 60_000
    const short = await createClient(service, { expiresAtMs })
    const { body } = await getToken({}, short)
    expect(body.expires_in).toBe(60)
    service.clock.now = expiresAtMs
    expect(await statusWith(body.access_token)).toBe(401)
    expect((await getToken({}, short)).body.error).toBe('invalid_client')
  })

  it('continues a walk with a new token, which is the same caller', async () => {
    const walk = {
      revision: '1.0',
      ontology: 'numbers',
      objectType: 'number',
      pageSize: 5,
    } as const
    const first = await requestPage(service, { ...walk, token: await accessToken() })
    const { nextPageToken } = first.body
    const second = { ...walk, token: await accessToken() }
    expect((await requestPage(service, second, nextPageToken)).status).toBe(200)
    const other = { ...walk, token: await accessToken(await createClient(service)) }
    const refused = await requestPage(service, other, nextPageToken)
    expect(refused.body.errorName).toBe('InvalidPageToken')
  })

  it('revokes its own tokens only, at once', async () => {
    const [token, kept] = [await accessToken(), await accessToken()]
    const other = await createClient(service)
    const revoke = (as: TestClient, revoked: string) =>
      sendForm(service, REVOKE_PATH, { ...asClient(as), token: revoked })
    expect((await revoke(other, token)).status).toBe(200)
    expect(await statusWith(token)).toBe(200)
    const own = await service.createToken()
    expect((await revoke(client, own)).status).toBe(200)
    expect(await statusWith(own)).toBe(200)
    expect((await revoke(client, token)).status).toBe(200)
    expect(await statusWith(token)).toBe(401)
    expect(await statusWith(kept)).toBe(200)
    expect((await revoke(client, 'unknown')).status).toBe(200)
    expect((await revoke({ ...client, secret: 'wrong' }, kept)).body.error).toBe('invalid_client')
    const empty = await sendForm(service, REVOKE_PATH, asClient(client))
    expect([empty.status, empty.body.error]).toEqual([400, 'invalid_request'])
  })

  it('is revoked with all its tokens at once', async () => {
    const revoked = await createClient(service, { name: 'revoked' })
    const token = await accessToken(revoked)
    const others = await accessToken()
    expect(await revokeOAuthClients(service.store, 'revoked', service.clock.now)).toHaveLength(1)
    expect(await statusWith(token)).toBe(401)
    expect(await statusWith(others)).toBe(200)
    expect((await getToken({}, revoked)).body.error).toBe('invalid_client')
    expect(await revokeOAuthClients(service.store, 'revoked', service.clock.now)).toEqual([])
  })

  it('keeps no token that it gets while it is being revoked', async () => {
    const revoked = await createClient(service, { name: 'racing' })
    const getting = Array.from({ length: 12 }, () => getToken({}, revoked))
    const [, ...answers] = await Promise.all([
      revokeOAuthClients(service.store, revoked.id, service.clock.now),
      ...getting,
    ])
    for (const { status, body } of answers) {
      if (status === 200) expect(await statusWith(body.access_token)).toBe(401)
      else expect(body.error).toBe('invalid_client')
    }
  })

  it('leaves no trace of its tokens in the list of API tokens', async () => {
    await accessToken()
    const issued = (await service.store.listApiTokens()).filter(({ issue }) => issue !== undefined)
    expect(issued).toEqual([])
  })

  const bad: readonly [name: string, form: string, status: number, error: string][] = [
    ['no grant type', '', 400, 'invalid_request'],
    ['an unknown grant type', 'grant_type=password', 400, 'unsupported_grant_type'],
    ['an inherited grant type', 'grant_type=constructor', 400, 'unsupported_grant_type'],
    ['no client', 'grant_type=client_credentials', 401, 'invalid_client'],
    ['an unknown client', 'grant_type=client_credentials&client_id=x', 401, 'invalid_client'],
    ['a repeated parameter', 'grant_type=a&grant_type=b', 400, 'invalid_request'],
  ]
  it.each(bad)('is refused with %s', async (_name, form, status, error) => {
    const answer = await sendForm(service, TOKEN_PATH, form)
    expect([answer.status, answer.body]).toEqual([
      status,
      { error, error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/) },
    ])
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('is refused with a wrong secret, none, or two', async () => {
    const wrong = await getToken({ client_secret: `${client.secret}x` })
    expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client'])
    expect(wrong.headers.get('www-authenticate')).toBeNull()
    const none = await sendForm(service, TOKEN_PATH, { ...CREDENTIALS, client_id: client.id })
    expect(none.body.error).toBe('invalid_client')
    const basic = await sendForm(
      service,
      TOKEN_PATH,
      CREDENTIALS,
      basicOf({ ...client, secret: 'wrong' }),
    )
    expect([basic.status, basic.body.error]).toEqual([401, 'invalid_client'])
    expect(basic.headers.get('www-authenticate')).toMatch(/^Basic/)
    const both = await sendForm(
      service,
      TOKEN_PATH,
      { ...CREDENTIALS, ...asClient(client) },
      basicOf(client),
    )
    expect([both.status, both.body.error]).toEqual([400, 'invalid_request'])
    for (const authorization of ['Basic', 'Basic !', 'Basic bm8gY29sb24=', 'Basic JTp4']) {
      const answer = await sendForm(service, TOKEN_PATH, CREDENTIALS, { authorization })
      expect([authorization, answer.status]).toEqual([authorization, 401])
    }
  })

  it('must not be public to act for itself', async () => {
    const open = await createClient(service, { isPublic: true })
    const answer = await getToken({}, open)
    expect([answer.status, answer.body.error]).toEqual([400, 'unauthorized_client'])
    const secret = await getToken({ client_secret: 'any' }, open)
    expect(secret.body.error).toBe('invalid_client')
  })

  it('must send a form of a sensible size', async () => {
    const json = await service.send(TOKEN_PATH, { token: null, json: CREDENTIALS })
    expect([json.status, json.body.error]).toEqual([415, 'invalid_request'])
    const large = await getToken({ filler: 'x'.repeat(20_000) })
    expect([large.status, large.body.error]).toEqual([413, 'invalid_request'])
    const get = await service.send(TOKEN_PATH, { token: null })
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'OPTIONS, POST'])
  })

  it('is counted by address before it is known', async () => {
    await using limited = await startService({ settings: { OQS_RATE_LIMIT_PER_MINUTE: '3' } })
    const own = await createClient(limited)
    const statuses: number[] = []
    for (let count = 0; count < 5; count += 1) {
      const answer = await sendForm(limited, TOKEN_PATH, { ...CREDENTIALS, ...asClient(own) })
      statuses.push(answer.status)
      if (answer.status === 200) continue
      expect(answer.body.error).toBe('temporarily_unavailable')
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429])
  })

  it('has its secret stored as a hash only', async () => {
    const token = await accessToken()
    const stored = JSON.stringify(await service.store.documents.list('oauthClient', 0))
    expect(stored).toContain(client.id)
    expect(stored).not.toContain(client.secret)
    expect(await service.store.findApiToken(token)).toBeUndefined()
  })
})
