/** An OAuth client as a program, and a person at the sign-in page. */
import { hash, randomBytes } from 'node:crypto'
import { createOAuthClient, type OAuthClientSpec } from '../../src/access/oauth/clients.ts'
import type { Service, TestResponse } from './service.ts'

export const TOKEN_PATH = '/multipass/api/oauth2/token'
export const REVOKE_PATH = '/multipass/api/oauth2/revoke_token'
export const AUTHORIZE_PATH = '/multipass/api/oauth2/authorize'
export const REDIRECT_URI = 'https://app.example.com/callback?kept=1'

export interface TestClient {
  readonly id: string
  /** Empty for a public client. */
  readonly secret: string
}

export async function createClient(
  { store, clock }: Service,
  spec: Partial<OAuthClientSpec> = {},
): Promise<TestClient> {
  const { client, secret = '' } = await createOAuthClient(
    store,
    {
      name: 'Test <client>',
      isPublic: false,
      redirectUris: [REDIRECT_URI],
      scopes: ['api:ontologies-read'],
      ontologies: undefined,
      expiresAtMs: undefined,
      ...spec,
    },
    clock.now,
  )
  return { id: client.id, secret }
}

/** Sends a form without a bearer token. */
export function sendForm(
  service: Service,
  path: string,
  form: Readonly<Record<string, string>> | string,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  return service.send(path, {
    method: 'POST',
    token: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  })
}

/** Returns the members of a form that identify a client. */
export function asClient({ id, secret }: TestClient): Record<string, string> {
  return secret === '' ? { client_id: id } : { client_id: id, client_secret: secret }
}

export function basicOf({ id, secret }: TestClient): Record<string, string> {
  const credentials = [id, secret].map(encodeURIComponent).join(':')
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

export interface Pkce {
  readonly verifier: string
  readonly challenge: string
}

export function createPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: hash('sha256', verifier, 'base64url') }
}

export interface SignInOptions {
  readonly client: TestClient
  /** The API token that the person enters. */
  readonly token: string
  readonly pkce?: Pkce | undefined
  readonly scope?: string
  readonly decision?: 'allow' | 'deny'
}

/** Opens the page, enters the token, and returns the response to the form. */
export async function signIn(service: Service, options: SignInOptions): Promise<TestResponse> {
  const { client, token, decision = 'allow' } = options
  const page = await openPage(service, authorizeQuery(client, options))
  const form = { ...hiddenMembers(page.text), token, decision }
  return submitPage(service, form, cookieOf(page))
}

export function authorizeQuery(
  { id }: TestClient,
  { pkce, scope }: Pick<SignInOptions, 'pkce' | 'scope'> = {},
): Record<string, string> {
  return {
    response_type: 'code',
    client_id: id,
    redirect_uri: REDIRECT_URI,
    state: 'a state & more',
    ...(scope === undefined ? {} : { scope }),
    ...(pkce === undefined
      ? {}
      : { code_challenge: pkce.challenge, code_challenge_method: 'S256' }),
  }
}

export function openPage(
  { url }: Service,
  query: Readonly<Record<string, string>>,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  return browse(`${url}${AUTHORIZE_PATH}?${new URLSearchParams(query)}`, { headers })
}

export function submitPage(
  { url }: Service,
  form: Readonly<Record<string, string>>,
  cookie: string,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  return browse(url + AUTHORIZE_PATH, {
    method: 'POST',
    headers: { cookie, ...headers },
    body: new URLSearchParams(form),
  })
}

/** Sends a request as a browser does, but stops at redirects. */
async function browse(url: string, init: RequestInit): Promise<TestResponse> {
  const { status, headers, ...response } = await fetch(url, { ...init, redirect: 'manual' }).then(
    async (answer) => ({
      status: answer.status,
      headers: answer.headers,
      text: await answer.text(),
    }),
  )
  return { status, headers, text: response.text, body: undefined }
}

export function cookieOf({ headers }: TestResponse): string {
  return headers.get('set-cookie')?.split(';')[0] ?? ''
}

export function hiddenMembers(page: string): Record<string, string> {
  const members = page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)
  return Object.fromEntries(
    [...members].map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]),
  )
}

/** Returns the parameters that a redirect passes to the client. */
export function redirectOf({ headers }: TestResponse): Record<string, string> {
  return Object.fromEntries(new URL(headers.get('location') ?? '').searchParams)
}

/** Exchanges the code of a sign-in for tokens. */
export function exchange(
  service: Service,
  { client, code, pkce }: { client: TestClient; code: string; pkce?: Pkce | undefined },
): Promise<TestResponse> {
  return sendForm(service, TOKEN_PATH, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    ...asClient(client),
    ...(pkce === undefined ? {} : { code_verifier: pkce.verifier }),
  })
}

export function refresh(
  service: Service,
  client: TestClient,
  refreshToken: string,
  rest: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  return sendForm(service, TOKEN_PATH, {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    ...asClient(client),
    ...rest,
  })
}
