/** What a token says about its caller. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asClient, createClient, sendForm, TOKEN_PATH } from '../support/oauth.ts'
import { type Service, startService } from '../support/service.ts'

const ME = '/api/admin/v1/me'
const CURRENT = '/api/v2/admin/users/getCurrent'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('the caller', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({
      settings: {
        OQS_RATE_LIMIT_PER_MINUTE: '900',
        OQS_MAX_CONCURRENT_REQUESTS: '7',
        OQS_PAGE_TOKEN_TTL_SECONDS: '120',
      },
    })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('learns the name, the rights and the limits of its token', async () => {
    const expiresAtMs = service.clock.now + 60_000
    const token = await service.createToken({
      name: 'ci',
      scopes: ['api:ontologies-write'],
      ontologies: ['a', 'b'],
      expiresAtMs,
    })
    expect((await service.send(ME, { token })).body).toEqual({
      id: expect.stringMatching(UUID),
      name: 'ci',
      scopes: ['api:ontologies-write'],
      ontologies: ['a', 'b'],
      expiresAt: new Date(expiresAtMs).toISOString(),
      limits: { requestsPerMinute: 900, maxConcurrentRequests: 7 },
      pageTokens: { maxAgeSeconds: 120, snapshotMaxAgeSeconds: 3600 },
    })
    expect((await service.send(ME)).body).toEqual({
      id: 'admin',
      name: 'admin',
      scopes: [
        'api:ontologies-read',
        'api:ontologies-write',
        'api:metrics-read',
        'api:audit-read',
        'api:admin',
      ],
      limits: { requestsPerMinute: 900, maxConcurrentRequests: 7 },
      pageTokens: { maxAgeSeconds: 120, snapshotMaxAgeSeconds: 3600 },
    })
  })

  it('learns of no limit where there is none', async () => {
    await using unlimited = await startService()
    expect((await unlimited.send(ME)).body.limits).toEqual({})
  })

  it('is a user for the official SDKs', async () => {
    const token = await service.createToken({ name: 'ci', scopes: [] })
    const { body } = await service.send(CURRENT, { token })
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      username: 'ci',
      realm: 'oqs',
      status: 'ACTIVE',
      attributes: {},
    })
    expect((await service.send(`${CURRENT}?preview=true`, { token })).body).toEqual(body)
    expect((await service.send(CURRENT)).body.id).toMatch(UUID)
  })

  it('keeps its id with each token that a client gets', async () => {
    const client = await createClient(service)
    const form = { grant_type: 'client_credentials', ...asClient(client) }
    const ids = new Set<string>()
    for (let count = 0; count < 2; count += 1) {
      const { access_token: token } = (await sendForm(service, TOKEN_PATH, form)).body
      ids.add((await service.send(CURRENT, { token })).body.id)
    }
    expect(ids.size).toBe(1)
  })

  it.each([ME, CURRENT])(
    'is not told without a token, nor about unknown parameters: %s',
    async (path) => {
      const none = await service.send(path, { token: null })
      expect([none.status, none.body.errorName]).toEqual([401, 'MissingCredentials'])
      const wrong = await service.send(path, { token: 'wrong' })
      expect([wrong.status, wrong.body.errorName]).toEqual([401, 'Default:Unauthorized'])
      const odd = await service.send(`${path}?odd=1`)
      expect([odd.status, odd.body.parameters.parameter]).toEqual([400, 'odd'])
      const tag = (await service.send(path)).headers.get('etag') ?? ''
      expect((await service.send(path, { headers: { 'if-none-match': tag } })).status).toBe(304)
    },
  )
})
