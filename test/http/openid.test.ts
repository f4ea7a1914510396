/** Bearer tokens of an OpenID provider outside of the service. */
import { generateKeyPair, type JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Environment } from '../../src/server/config.ts'
import { AVIATION, NUMBERS, numbers } from '../support/ontologies.ts'
import { type OpenIdIssuer, startIssuer } from '../support/openid-issuer.ts'
import { type Service, startService } from '../support/service.ts'
import { requestPage } from '../support/walk.ts'

const ME = '/api/admin/v1/me'
const LIST = '/api/v1/ontologies/numbers/objects/number'
const AUDIENCE = 'object-query-service'

/** Claims that replace the usual ones; an undefined one is left out. */
type Claims = Readonly<Record<string, unknown>>

async function startWith(issuer: OpenIdIssuer, settings: Environment = {}): Promise<Service> {
  const service = await startService({
    settings: { OQS_OIDC_ISSUER: issuer.url, OQS_OIDC_AUDIENCE: AUDIENCE, ...settings },
  })
  await service.apply(NUMBERS)
  return service
}

describe('a token of an OpenID provider', () => {
  let issuer: OpenIdIssuer
  let service: Service
  beforeAll(async () => {
    issuer = await startIssuer()
    service = await startWith(issuer)
    await service.apply(AVIATION)
    await service.put('numbers', 'number', numbers(20))
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    await issuer[Symbol.asyncDispose]()
  })

  const seconds = (from = service) => Math.floor(from.clock.now / 1000)
  const claims = (rest: Claims = {}, from = service): JWTPayload => ({
    iss: issuer.url,
    aud: AUDIENCE,
    sub: 'person-1',
    exp: seconds(from) + 300,
    scope: 'openid api:use-ontologies-read',
    ...rest,
  })
  const refusal = async (token: string, from = service) => {
    const { status, body } = await from.send(ME, { token })
    return [status, body.parameters?.error ?? body.errorName]
  }

  it('identifies a caller, with the rights of its claims', async () => {
    const exp = seconds() + 300
    const token = await issuer.sign(
      claims({ exp, preferred_username: 'ada', given_name: 'Ada', email: 'ada@example.com' }),
    )
    const me = await service.send(ME, { token })
    expect(me.body).toMatchObject({
      id: expect.stringMatching(/^openid\.[0-9a-f]{32}$/),
      name: 'ada',
      scopes: ['api:ontologies-read'],
      expiresAt: new Date(1000 * exp).toISOString(),
    })
    expect(me.body.ontologies).toBeUndefined()
    const user = await service.send('/api/v2/admin/users/getCurrent', { token })
    expect(user.body).toMatchObject({
      username: 'ada',
      givenName: 'Ada',
      email: 'ada@example.com',
      status: 'ACTIVE',
    })
    expect((await service.send(LIST, { token })).status).toBe(200)
    const path = '/api/admin/v1/ontologies/numbers'
    const write = await service.send(path, { token, method: 'PUT', json: NUMBERS })
    expect(write.body).toMatchObject({
      errorName: 'ApiUsageDenied',
      parameters: { missingScope: 'api:ontologies-write' },
    })
  })

  it('makes nobody an administrator or an auditor by the name of a scope', async () => {
    const scope = 'api:admin api:audit-read api:metrics-read'
    const token = await issuer.sign(claims({ scope }))
    expect((await service.send(ME, { token })).body.scopes).toEqual(['api:metrics-read'])
    const { status, body } = await service.send('/api/admin/v1/audit', { token })
    expect([status, body.parameters.missingScope]).toEqual([403, 'api:audit-read'])
  })

  it('stays the same caller with a new token, and no other person is', async () => {
    const walk = {
      revision: '1.0',
      ontology: 'numbers',
      objectType: 'number',
      pageSize: 5,
    } as const
    const page = async (sub: string, pageToken?: string) => {
      const token = await issuer.sign(claims({ sub, jti: `${Math.random()}` }))
      return requestPage(service, { ...walk, token }, pageToken)
    }
    const { nextPageToken } = (await page('person-1')).body
    expect((await page('person-1', nextPageToken)).status).toBe(200)
    expect((await page('person-2', nextPageToken)).body.errorName).toBe('InvalidPageToken')
  })

  it('is refused if it is expired, not yet valid, or for somebody else', async () => {
    const now = seconds()
    const refused: readonly [Claims, string][] = [
      [{ exp: now - 61 }, 'EXPIRED'],
      [{ nbf: now + 62 }, 'INVALID_CLAIM'],
      [{ aud: 'another-service' }, 'INVALID_CLAIM'],
      [{ iss: 'https://other.example.com' }, 'INVALID_CLAIM'],
      [{ exp: undefined }, 'INVALID_CLAIM'],
      [{ sub: undefined }, 'INVALID_CLAIM'],
      [{ sub: '' }, 'INVALID_CLAIM'],
      [{ sub: null }, 'INVALID_CLAIM'],
    ]
    for (const [rest, error] of refused) {
      expect([rest, await refusal(await issuer.sign(claims(rest)))]).toEqual([rest, [401, error]])
    }
    // Clocks may differ by a minute.
    expect(await refusal(await issuer.sign(claims({ exp: now - 58 })))).toEqual([200, undefined])
    expect(await refusal(await issuer.sign(claims({ nbf: now + 58 })))).toEqual([200, undefined])
  })

  it.each([253_402_300_800, 1e17, 1e300])('may expire at any time, even %d', async (exp) => {
    const { status, body } = await service.send(ME, { token: await issuer.sign(claims({ exp })) })
    expect([status, body.expiresAt]).toEqual([200, '9999-12-31T23:59:59.999Z'])
  })

  it('is refused if it is not signed by the provider', async () => {
    const token = await issuer.sign(claims())
    const [head = '', payload = '', signature = ''] = token.split('.')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const forged = await issuer.sign(claims(), { key: (await generateKeyPair('ES256')).privateKey })
    const shared = await issuer.sign(claims(), {
      algorithm: 'HS256',
      key: new TextEncoder().encode('a secret that is known to everybody'),
    })
    const strong = (await generateKeyPair('ES384')).privateKey
    const other = await issuer.sign(claims(), { algorithm: 'ES384', key: strong })
    const refused: readonly [string, string][] = [
      [forged, 'INVALID_TOKEN'],
      [shared, 'ALGORITHM_NOT_ALLOWED'],
      [other, 'ALGORITHM_NOT_ALLOWED'],
      [`${encode({ alg: 'none' })}.${payload}.`, 'ALGORITHM_NOT_ALLOWED'],
      [`${head}.${encode(claims({ sub: 'admin' }))}.${signature}`, 'INVALID_TOKEN'],
      [`${head}.${payload}.${signature.slice(2)}`, 'INVALID_TOKEN'],
      [`eyJ.${payload}.${signature}`, 'INVALID_TOKEN'],
    ]
    for (const [sent, error] of refused) expect(await refusal(sent)).toEqual([401, error])
    expect(await refusal(token)).toEqual([200, undefined])
  })

  it('has its scopes and ontologies mapped by settings', async () => {
    await using mapped = await startWith(issuer, {
      OQS_OIDC_AUDIENCE: 'first,second',
      OQS_OIDC_SCOPE_CLAIM: 'realm_access.roles',
      OQS_OIDC_SCOPES:
        'reader=api:ontologies-read,editor=api:ontologies-write,auditor=api:audit-read',
      OQS_OIDC_ONTOLOGY_CLAIM: 'ontologies',
      OQS_OIDC_JWKS_URL: `${issuer.url}/keys`,
    })
    await mapped.apply(AVIATION)
    const rights = async (rest: Claims) => {
      const token = await issuer.sign(claims({ aud: 'second', ...rest }, mapped))
      const { scopes, ontologies } = (await mapped.send(ME, { token })).body
      return [scopes, ontologies]
    }
    const roles = (...names: string[]) => ({ realm_access: { roles: names } })
    expect(await rights({ ...roles('reader', 'other'), ontologies: ['numbers'] })).toEqual([
      ['api:ontologies-read'],
      ['numbers'],
    ])
    expect(await rights({ ...roles('editor', 'reader'), ontologies: 'a b' })).toEqual([
      ['api:ontologies-write', 'api:ontologies-read'],
      ['a', 'b'],
    ])
    expect(await rights(roles('auditor'))).toEqual([['api:audit-read'], []])
    // Without the claims: no scope, and no ontology.
    expect(await rights({ scope: 'reader' })).toEqual([[], []])
    expect(await rights({ realm_access: 'reader' })).toEqual([[], []])
    const token = await issuer.sign(
      claims({ aud: 'first', ...roles('reader'), ontologies: ['aviation'] }, mapped),
    )
    expect((await mapped.send(LIST, { token })).status).toBe(404)
    expect((await mapped.send('/api/v1/ontologies/aviation', { token })).status).toBe(200)
  })

  it('has the policies of its groups, and claims that rules can use', async () => {
    await using limited = await startWith(issuer, {
      OQS_OIDC_POLICY_CLAIM: 'groups',
      OQS_OIDC_RULE_CLAIMS: 'favourite',
    })
    await limited.put('numbers', 'number', [
      { n: 1, text: 'blue' },
      { n: 2, text: 'red' },
    ])
    const right = { ontology: 'numbers', objectType: 'number', access: 'read' }
    const rules = {
      'The favourites': { type: 'eq', field: 'text', value: '$caller.favourite' },
      nobody: { type: 'eq', field: 'text', value: '$caller.subject' },
    }
    for (const [name, where] of Object.entries(rules)) {
      const path = `/api/admin/v1/policies/${encodeURIComponent(name)}`
      const json = { rights: [{ ...right, where }] }
      expect((await limited.send(path, { method: 'PUT', json })).status).toBe(200)
    }
    const favourite = 'blue'
    const seen = async (rest: Claims) => {
      const { status, body } = await limited.send(LIST, {
        token: await issuer.sign(claims(rest, limited)),
      })
      return status === 200 ? body.data.length : body.errorName
    }
    const groups = ['The favourites', 'without a policy']
    expect(await seen({ groups, favourite })).toBe(1)
    expect(await seen({ groups: ['nobody'], favourite })).toBe(0)
    // Neither a missing claim nor missing groups open anything.
    expect(await seen({ groups })).toBe('OntologyNotFound')
    expect(await seen({ favourite })).toBe('OntologyNotFound')
  })

  it('is verified with new keys of the provider, which is asked at most twice a minute', async () => {
    await using own = await startIssuer()
    await using fresh = await startWith(own)
    const sign = (options = {}) => own.sign(claims({ iss: own.url }, fresh), options)
    expect(await refusal(await sign(), fresh)).toEqual([200, undefined])
    expect(own.keyRequests()).toBe(1)
    const old = await sign()
    await own.rotateKey()
    expect(await refusal(await sign(), fresh)).toEqual([401, 'UNKNOWN_KEY'])
    expect(own.keyRequests()).toBe(1)
    fresh.clock.now += 30_000
    expect(await refusal(await sign(), fresh)).toEqual([200, undefined])
    expect(await refusal(old, fresh)).toEqual([401, 'UNKNOWN_KEY'])
    const unknown = await sign({ keyId: 'unknown' })
    const answers = await Promise.all([1, 2, 3, 4].map(() => refusal(unknown, fresh)))
    expect(new Set(answers.map(String))).toEqual(new Set(['401,UNKNOWN_KEY']))
    expect(own.keyRequests()).toBe(2)
  })

  it('gets 503 while the provider is down, unless its keys are known', async () => {
    await using own = await startIssuer()
    await using fresh = await startWith(own)
    const sign = () => own.sign(claims({ iss: own.url }, fresh))
    own.isDown = true
    const down = await fresh.send(ME, { token: await sign() })
    expect([down.status, down.body.parameters.reason]).toEqual([
      503,
      'The OpenID provider cannot be reached.',
    ])
    expect(down.headers.get('retry-after')).toBe('30')
    own.isDown = false
    fresh.clock.now += 30_000
    expect(await refusal(await sign(), fresh)).toEqual([200, undefined])
    own.isDown = true
    fresh.clock.now += 23 * 3_600_000
    expect(await refusal(await sign(), fresh)).toEqual([200, undefined])
    fresh.clock.now += 3_600_000
    expect(await refusal(await sign(), fresh)).toEqual([503, 'ServiceUnavailable'])
    // Tokens of the service itself do not need the provider.
    expect(await refusal(await fresh.createToken(), fresh)).toEqual([200, undefined])
  })

  it('gets 503 if the discovery document is of another issuer', async () => {
    await using own = await startIssuer()
    await using fresh = await startWith(own)
    own.discoveredIssuer = 'https://other.example.com'
    const token = await own.sign(claims({ iss: own.url }, fresh))
    expect(await refusal(token, fresh)).toEqual([503, 'ServiceUnavailable'])
  })

  it('gets 503 if the keys are too large to be keys', async () => {
    await using own = await startIssuer()
    await using fresh = await startWith(own)
    own.keyPadding = 1024 * 1024
    const token = await own.sign(claims({ iss: own.url }, fresh))
    expect(await refusal(token, fresh)).toEqual([503, 'ServiceUnavailable'])
  })

  it('is unknown to a service without a provider', async () => {
    await using plain = await startService()
    const token = await issuer.sign(claims())
    expect(await refusal(token, plain)).toEqual([401, 'UNKNOWN'])
  })
})
