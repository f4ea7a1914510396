/**
 * Signs in with OAuth: an authorization code with a proof key, for the client that every service has
 * for its explorer. The person enters an API token on the sign-in page of the service, and this tab
 * gets tokens that end when the person signs out.
 */
import { BASE_PATH, storageKey } from '../api/base-path.ts'
import { serviceUrl } from '../api/service.ts'

const CLIENT_ID = 'explorer'
const PATH = `${BASE_PATH}/multipass/api/oauth2`
const SCOPE = 'api:ontologies-read api:ontologies-write api:admin offline_access'
const KEY = storageKey('oauth')
const SECRET_BYTES = 32

/** A sign-in that has started and not come back yet. */
export interface PendingSignIn {
  readonly state: string
  readonly verifier: string
  /** The address of the view that the person wanted to see. */
  readonly returnTo: string
}

export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  readonly expiresAtMs: number
}

/** True if the browser has what a proof key needs: HTTPS, or a service on this machine. */
export function canUseOAuth(): boolean {
  return isSecureContext
}

/** Leaves for the sign-in page of the service. */
export async function startOAuth(): Promise<void> {
  const returnTo = location.pathname + location.search
  const pending: PendingSignIn = { state: randomText(), verifier: randomText(), returnTo }
  sessionStorage.setItem(KEY, JSON.stringify(pending))
  location.assign(await authorizeAddress(pending, serviceUrl()))
}

/** Returns the address of the sign-in page. */
export async function authorizeAddress(
  { state, verifier }: PendingSignIn,
  baseUrl: string,
): Promise<string> {
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: `${baseUrl}/`,
    scope: SCOPE,
    state,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: 'S256',
  })
  return `${PATH}/authorize?${parameters}`
}

/** The answer of the sign-in page. */
export interface OAuthAnswer {
  readonly parameters: URLSearchParams
  readonly pending: PendingSignIn | undefined
}

/** Takes the answer of the sign-in page out of the address, and returns to the view. */
export function takeAnswer(): OAuthAnswer | undefined {
  const parameters = new URLSearchParams(location.search)
  const isAnswer = parameters.has('code') || parameters.has('error')
  if (location.pathname !== `${BASE_PATH}/` || !parameters.has('state') || !isAnswer)
    return undefined
  const kept = sessionStorage.getItem(KEY)
  sessionStorage.removeItem(KEY)
  const pending = kept === null ? undefined : (JSON.parse(kept) as PendingSignIn)
  history.replaceState(history.state, '', pending?.returnTo ?? `${BASE_PATH}/`)
  return { parameters, pending }
}

/** Returns what the answer is worth. Throws if it is not the answer to our sign-in. */
export function readAnswer({ parameters, pending }: OAuthAnswer): {
  readonly code: string
  readonly verifier: string
} {
  if (pending === undefined || parameters.get('state') !== pending.state) {
    throw new Error('This answer belongs to another sign-in, which was not accepted. Start again.')
  }
  const code = parameters.get('code')
  if (code !== null) return { code, verifier: pending.verifier }
  if (parameters.get('error') === 'access_denied') {
    throw new Error('You did not allow the explorer to sign in.')
  }
  throw new Error(parameters.get('error_description') ?? 'The sign-in failed. Start again.')
}

/** Exchanges the answer of the sign-in page for tokens. */
export async function exchangeAnswer(answer: OAuthAnswer): Promise<Tokens> {
  const { code, verifier } = readAnswer(answer)
  const redirect = { redirect_uri: `${serviceUrl()}/`, code_verifier: verifier }
  return requestTokens({ grant_type: 'authorization_code', code, ...redirect })
}

/** Exchanges a refresh token, which works once, for new tokens. */
export function renewTokens(refreshToken: string): Promise<Tokens> {
  return requestTokens({ grant_type: 'refresh_token', refresh_token: refreshToken })
}

/** Ends the grant that a token belongs to. */
export async function revokeTokens(token: string): Promise<void> {
  await postForm('revoke_token', { token })
}

async function requestTokens(form: Readonly<Record<string, string>>): Promise<Tokens> {
  const response = await postForm('token', form)
  const { access_token, refresh_token, expires_in } = (await response.json()) as {
    readonly access_token: string
    readonly refresh_token?: string
    readonly expires_in: number
  }
  const expiresAtMs = Date.now() + 1000 * expires_in
  return { accessToken: access_token, refreshToken: refresh_token, expiresAtMs }
}

async function postForm(path: string, form: Readonly<Record<string, string>>): Promise<Response> {
  const response = await fetch(`${PATH}/${path}`, {
    method: 'POST',
    body: new URLSearchParams({ ...form, client_id: CLIENT_ID }),
    credentials: 'omit',
    cache: 'no-store',
  })
  if (response.ok) return response
  const { error, error_description: reason } = (await response.json()) as Record<string, string>
  throw new Error(reason ?? error ?? `The service answered with ${response.status}.`)
}

/** The SHA-256 hash of a verifier in base64url (RFC 7636, 4.2). */
export async function challengeOf(verifier: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return base64Url(new Uint8Array(hash))
}

function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
}

function base64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
