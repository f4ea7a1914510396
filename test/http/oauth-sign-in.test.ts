/** People who allow an OAuth client to act for them: codes, proof keys, refresh tokens. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  AUTHORIZE_PATH,
  asClient,
  authorizeQuery,
  cookieOf,
  createClient,
  createPkce,
  exchange,
  hiddenMembers,
  openPage,
  type Pkce,
  REDIRECT_URI,
  REVOKE_PATH,
  redirectOf,
  refresh,
  sendForm,
  signIn,
  submitPage,
  type TestClient,
  TOKEN_PATH,
} from '../support/oauth.ts'
import { AVIATION, NUMBERS } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const ME = '/api/admin/v1/me'
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const OFFLINE = 'offline_access api:read-data'

describe('a person who signs in', () => {
  let service: Service
  let client: TestClient
  let token: string
  let pkce: Pkce
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.apply(AVIATION)
    client = await createClient(service, {
      isPublic: true,
      scopes: ['api:ontologies-read', 'api:ontologies-write'],
    })
  })
  afterAll(() => service[Symbol.asyncDispose]())
  beforeEach(async () => {
    token = await service.createToken({ name: 'person' })
    pkce = createPkce()
  })

  const allow = async (scope = OFFLINE) => {
    const answer = await signIn(service, { client, token, pkce, scope })
    expect([answer.status, answer.text]).toEqual([303, ''])
    return redirectOf(answer)['code'] ?? ''
  }
  const getTokens = async (scope?: string) => {
    const answer = await exchange(service, { client, code: await allow(scope), pkce })
    expect(answer.status).toBe(200)
    return answer.body as Tokens
  }
  const statusOf = async (access: string) => (await service.send(ME, { token: access })).status

  it('sees which client asks for what, on a page without scripts', async () => {
    const limited = await createClient(service, { ontologies: ['a<b'] })
    const page = await openPage(service, authorizeQuery(limited, { pkce, scope: OFFLINE }))
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('cache-control')).toBe('no-store')
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-\S+'; form-action 'self' https:\/\/app\.example\.com; /,
    )
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('script-src')
    expect(page.text).not.toMatch(/<script|https?:(?!\/\/app\.example\.com)|\bon\w+=/)
    expect(page.text).toContain('Test &lt;client&gt;')
    expect(page.text).toContain('read ontologies and objects')
    expect(page.text).toContain('<code>a&lt;b</code>')
    expect(page.text).toContain('oqs token create')
    const cookie = page.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(
      /^oqs_sign_in=[\w-]{43}; Path=\S+; Max-Age=3600; HttpOnly; SameSite=Lax$/,
    )
  })

  it('gives the client a code, and the client gets tokens for it', async () => {
    const answer = await signIn(service, { client, token, pkce, scope: OFFLINE })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toMatch(
      /^https:\/\/app\.example\.com\/callback\?kept=1&/,
    )
    const { code = '', state } = redirectOf(answer)
    expect(state).toBe('a state & more')
    const tokens = await exchange(service, { client, code, pkce })
    expect(tokens.body).toEqual({
      access_token: expect.stringMatching(/^oqs_access_/),
      token_type: 'bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^oqs_refresh_/),
      scope: 'offline_access api:read-data',
    })
    expect(tokens.headers.get('cache-control')).toBe('no-store')
    const me = await service.send(ME, { token: tokens.body.access_token })
    expect(me.body).toMatchObject({ name: 'person', scopes: ['api:ontologies-read'] })
  })

  it('gives no more than their own token has', async () => {
    const answer = await exchange(service, {
      client,
      code: redirectOf(await signIn(service, { client, token, pkce }))['code'] ?? '',
      pkce,
    })
    // Without a scope, everything that the client may have.
    expect(answer.body.scope).toBe('api:ontologies-read offline_access')
    token = await service.createToken({ ontologies: ['aviation', 'later'] })
    const { rid } = (await service.send('/api/v1/ontologies/aviation')).body
    const limited = await createClient(service, { ontologies: [rid, 'numbers', 'later'] })
    const code = redirectOf(await signIn(service, { client: limited, token }))['code'] ?? ''
    const tokens = await exchange(service, { client: limited, code })
    const me = await service.send(ME, { token: tokens.body.access_token })
    expect(me.body.ontologies).toEqual([rid, 'later'])
    const status = async (ontology: string) =>
      (await service.send(`/api/v1/ontologies/${ontology}`, { token: tokens.body.access_token }))
        .status
    expect([await status('aviation'), await status('numbers')]).toEqual([200, 404])
  })

  it('gives nothing if their token allows none of it', async () => {
    token = await service.createToken({ scopes: ['api:ontologies-write'] })
    const answer = await signIn(service, { client, token, pkce, scope: 'api:read-data' })
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('allows nothing that the client asks for')
  })

  it('gets no refresh token unless the client asks for offline access', async () => {
    expect((await getTokens('api:read-data')).refresh_token).toBeUndefined()
  })

  it('can deny', async () => {
    const answer = await signIn(service, { client, token: '', pkce, decision: 'deny' })
    expect(answer.status).toBe(303)
    expect(redirectOf(answer)).toMatchObject({ error: 'access_denied', state: 'a state & more' })
  })

  it('can try again after a wrong token, which is not repeated', async () => {
    const expired = await service.createToken({ expiresAtMs: service.clock.now })
    const issued = (await getTokens()).access_token
    const refused: readonly [string, string][] = [
      ['', 'Enter your API token'],
      ['wrong-token', 'not an API token'],
      [expired, 'expired'],
      [issued, 'not an API token'],
      [ADMIN_TOKEN, 'admin token cannot sign in'],
    ]
    for (const [entered, problem] of refused) {
      const answer = await signIn(service, { client, token: entered, pkce, scope: OFFLINE })
      expect([entered, answer.status]).toEqual([entered, 403])
      expect(answer.text).toContain(problem)
      if (entered !== '') expect(answer.text).not.toContain(entered)
      const form = { ...hiddenMembers(answer.text), token, decision: 'allow' }
      expect((await submitPage(service, form, cookieOf(answer))).status).toBe(303)
    }
  })

  it('is protected from forms of other sites', async () => {
    const page = await openPage(service, authorizeQuery(client, { pkce }))
    const form = { ...hiddenMembers(page.text), token, decision: 'allow' }
    const cookie = cookieOf(page)
    const attempts = [
      submitPage(service, form, ''),
      submitPage(service, { ...form, oqs_sign_in: 'x'.repeat(43) }, cookie),
      submitPage(service, { ...form, oqs_sign_in: 'é'.repeat(43) }, cookie),
      submitPage(service, { ...form, oqs_sign_in: '' }, cookie),
      submitPage(service, form, cookie, { 'sec-fetch-site': 'cross-site' }),
      submitPage(service, form, cookie, { 'sec-fetch-site': 'same-site' }),
    ]
    for (const answer of await Promise.all(attempts)) {
      expect([answer.status, answer.headers.get('location')]).toEqual([403, null])
      expect(answer.text).toContain('Start again')
    }
    const own = { 'sec-fetch-site': 'same-origin' }
    expect((await submitPage(service, form, cookie, own)).status).toBe(303)
    // Two tabs share the cookie.
    const tab = await openPage(service, authorizeQuery(client, { pkce }), { cookie })
    expect(cookieOf(tab)).toBe(cookie)
  })

  it('may have question marks in the link', async () => {
    const query = new URLSearchParams({ ...authorizeQuery(client, { pkce }), state: 'a?b=c' })
    const link = `${service.url}${AUTHORIZE_PATH}?${query.toString().replaceAll('%3F', '?')}`
    const members = hiddenMembers(await (await fetch(link)).text())
    expect(members).toMatchObject({ state: 'a?b=c', code_challenge: pkce.challenge })
  })

  const shown: readonly [name: string, query: Record<string, string>][] = [
    ['no client', { client_id: '' }],
    ['an unknown client', { client_id: 'unknown' }],
    ['a client id with a null character', { client_id: '\0' }],
    ['no redirect URI', { redirect_uri: '' }],
    ['another redirect URI', { redirect_uri: 'https://app.example.com/callback' }],
    ['a longer redirect URI', { redirect_uri: `${REDIRECT_URI}&x=1` }],
    ['a script as redirect URI', { redirect_uri: 'javascript:alert(1)' }],
  ]
  it.each(shown)('sees a page for %s, and is sent nowhere', async (_name, query) => {
    const answer = await openPage(service, { ...authorizeQuery(client, { pkce }), ...query })
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.text).toContain('Cannot sign in')
  })

  const sentBack: readonly [name: string, query: Record<string, string>, error: string][] = [
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no response type', { response_type: '' }, 'invalid_request'],
    ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
    ['no challenge', { code_challenge: '' }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no challenge method', { code_challenge_method: '' }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'short' }, 'invalid_request'],
  ]
  it.each(sentBack)('is sent back with an error for %s', async (_name, query, error) => {
    const answer = await openPage(service, { ...authorizeQuery(client, { pkce }), ...query })
    expect(answer.status).toBe(303)
    expect(redirectOf(answer)).toMatchObject({ error, state: 'a state & more' })
  })

  it('is served by both methods of the page, and no other', async () => {
    const answer = await service.send(AUTHORIZE_PATH, { method: 'PUT', token: null })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS, POST'])
  })

  describe('has given a code, which', () => {
    it('works once; a second use ends everything that it gave', async () => {
      const code = await allow()
      const first = await exchange(service, { client, code, pkce })
      expect(await statusOf(first.body.access_token)).toBe(200)
      const second = await exchange(service, { client, code, pkce })
      expect([second.status, second.body.error]).toEqual([400, 'invalid_grant'])
      expect(await statusOf(first.body.access_token)).toBe(401)
      const refreshed = await refresh(service, client, first.body.refresh_token)
      expect(refreshed.body.error).toBe('invalid_grant')
    })

    it('expires after ten minutes', async () => {
      const code = await allow()
      service.clock.now += 10 * MINUTE_MS
      expect((await exchange(service, { client, code, pkce })).body.error).toBe('invalid_grant')
    })

    it('needs its verifier, its client and its redirect URI', async () => {
      const other = await createClient(service, { isPublic: true })
      const form = { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI }
      const own = { ...form, ...asClient(client), code_verifier: pkce.verifier }
      const attempts: readonly [Record<string, string>, string][] = [
        [{ ...own, code_verifier: createPkce().verifier }, 'invalid_grant'],
        [{ ...own, code_verifier: pkce.challenge }, 'invalid_grant'],
        [{ ...own, code_verifier: 'short' }, 'invalid_grant'],
        [{ ...own, code_verifier: '' }, 'invalid_request'],
        [{ ...own, ...asClient(other) }, 'invalid_grant'],
        [{ ...own, redirect_uri: `${REDIRECT_URI}#` }, 'invalid_grant'],
        [{ ...own, redirect_uri: '' }, 'invalid_request'],
      ]
      for (const [attempt, error] of attempts) {
        const answer = await sendForm(service, TOKEN_PATH, { ...attempt, code: await allow() })
        expect([attempt, answer.status, answer.body.error]).toEqual([attempt, 400, error])
      }
    })

    it('needs no verifier for a confidential client that sent no challenge', async () => {
      const confidential = await createClient(service)
      const code = redirectOf(await signIn(service, { client: confidential, token }))['code'] ?? ''
      const extra = await exchange(service, { client: confidential, code, pkce })
      expect(extra.body.error).toBe('invalid_grant')
      const next = redirectOf(await signIn(service, { client: confidential, token }))['code'] ?? ''
      expect((await exchange(service, { client: confidential, code: next })).status).toBe(200)
    })
  })

  describe('has given a refresh token, which', () => {
    it('is replaced with each use', async () => {
      let { refresh_token: current = '' } = await getTokens()
      const seen = new Set([current])
      for (let days = 0; days < 40; days += 10) {
        service.clock.now += 10 * DAY_MS
        const answer = await refresh(service, client, current)
        expect([answer.status, answer.body.scope]).toEqual([200, OFFLINE])
        expect(await statusOf(answer.body.access_token)).toBe(200)
        current = answer.body.refresh_token
        seen.add(current)
      }
      expect(seen.size).toBe(5)
    })

    it('may be repeated for a minute, and ends the grant after that', async () => {
      const { refresh_token: first = '' } = await getTokens()
      const { body } = await refresh(service, client, first)
      service.clock.now += MINUTE_MS
      const repeated = await refresh(service, client, first)
      expect(repeated.status).toBe(200)
      service.clock.now += 1
      const late = await refresh(service, client, first)
      expect([late.status, late.body.error]).toEqual([400, 'invalid_grant'])
      for (const left of [body, repeated.body]) {
        expect(await statusOf(left.access_token)).toBe(401)
        const answer = await refresh(service, client, left.refresh_token)
        expect(answer.body.error).toBe('invalid_grant')
      }
    })

    it('expires after thirty idle days', async () => {
      const { refresh_token: current = '' } = await getTokens()
      service.clock.now += 30 * DAY_MS
      expect((await refresh(service, client, current)).body.error).toBe('invalid_grant')
    })

    it('can ask for less, not for more', async () => {
      const { refresh_token: current = '' } = await getTokens()
      const more = await refresh(service, client, current, { scope: 'api:write-data' })
      expect(more.body.error).toBe('invalid_scope')
      const less = await refresh(service, client, current, { scope: 'api:ontologies-read' })
      expect(less.body).toMatchObject({ scope: 'api:ontologies-read' })
    })

    it('belongs to its client', async () => {
      const { refresh_token: current = '' } = await getTokens()
      const other = await createClient(service, { isPublic: true })
      expect((await refresh(service, other, current)).body.error).toBe('invalid_grant')
      expect((await refresh(service, client, current)).status).toBe(200)
    })

    it('ends with the token of the person', async () => {
      token = await service.createToken({ name: 'leaving' })
      const { refresh_token: current = '', access_token: access } = await getTokens()
      expect(await service.revokeTokens('leaving')).toBe(1)
      expect(await statusOf(access)).toBe(401)
      expect((await refresh(service, client, current)).body.error).toBe('invalid_grant')
    })

    it('gives nothing that outlives a concurrent revocation', async () => {
      const { refresh_token: current = '' } = await getTokens()
      const form = { ...asClient(client), token: current }
      const [, ...answers] = await Promise.all([
        sendForm(service, REVOKE_PATH, form),
        ...Array.from({ length: 8 }, () => refresh(service, client, current)),
      ])
      for (const { status, body } of answers) {
        if (status !== 200) expect(body.error).toBe('invalid_grant')
        else {
          expect(await statusOf(body.access_token)).toBe(401)
          const next = await refresh(service, client, body.refresh_token)
          expect(next.body.error).toBe('invalid_grant')
        }
      }
    })

    it.each(['access_token', 'refresh_token'] as const)(
      'ends when its %s is revoked',
      async (name) => {
        const tokens = await getTokens()
        const form = { ...asClient(client), token: tokens[name] ?? '' }
        expect((await sendForm(service, REVOKE_PATH, form)).status).toBe(200)
        expect(await statusOf(tokens.access_token)).toBe(401)
        const answer = await refresh(service, client, tokens.refresh_token ?? '')
        expect(answer.body.error).toBe('invalid_grant')
      },
    )
  })

  it('has no code and no token stored in clear text', async () => {
    const code = await allow()
    const { refresh_token: current = '' } = await getTokens()
    const kinds = ['oauthCode', 'oauthGrant', 'oauthRefreshToken'] as const
    const stored = await Promise.all(kinds.map((kind) => service.store.documents.list(kind, 0)))
    const text = JSON.stringify(stored)
    for (const secret of [code, current, token]) expect(text).not.toContain(secret)
  })
})

interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string
}
