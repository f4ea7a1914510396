/** The token of one sign-in. A token of OAuth is renewed before it expires. */
import { storageKey } from '../api/base-path.ts'
import { openService, statusOf } from '../api/service.ts'
import { revokeTokens, type Tokens } from './oauth.ts'

/** Requests that are sent this long before the end renew the token first. */
const RENEW_BEFORE_MS = 300_000

export interface CredentialOptions {
  readonly renew: (refreshToken: string) => Promise<Tokens>
  /** Called with each renewed sign-in. */
  readonly onRenewed: (signIn: SignIn) => void
  readonly now: () => number
}

export class Credential {
  #signIn: SignIn
  #renewing: Promise<void> | undefined
  readonly #options: CredentialOptions

  constructor(signIn: SignIn, options: CredentialOptions) {
    this.#signIn = signIn
    this.#options = options
  }

  get signIn(): SignIn {
    return this.#signIn
  }

  /** Returns the token to send. If it cannot be renewed, the old one: the service then says why. */
  async readToken(): Promise<string> {
    const { renewal } = this.#signIn
    if (renewal !== undefined && this.#options.now() > renewal.expiresAtMs - RENEW_BEFORE_MS) {
      this.#renewing ??= this.#renew(renewal.refreshToken).finally(() => {
        this.#renewing = undefined
      })
      await this.#renewing
    }
    return this.#signIn.token
  }

  /** Takes over what another tab with the same sign-in renewed. */
  adopt({ usedRefreshToken, tokens }: Renewal): void {
    if (this.#signIn.renewal?.refreshToken === usedRefreshToken) this.#change(tokens)
  }

  async #renew(refreshToken: string): Promise<void> {
    try {
      this.#change(await this.#options.renew(refreshToken))
    } catch {
      // The request that waits is sent with the old token, and reports what is wrong.
    }
  }

  #change(tokens: Tokens): void {
    this.#signIn = signInOf(tokens)
    this.#options.onRenewed(this.#signIn)
  }
}

/**
 * Tells other tabs that a sign-in was renewed. A duplicated tab has a copy of the refresh token, which
 * works once: its second use would end the grant for both tabs.
 */
const CHANNEL = 'oqs.renewal'

export interface Renewal {
  readonly usedRefreshToken: string
  readonly tokens: Tokens
}

/** Renews tokens, and passes them on to the tabs that have the same refresh token. */
export async function renewForAllTabs(
  refreshToken: string,
  renew: (refreshToken: string) => Promise<Tokens>,
): Promise<Tokens> {
  const tokens = await renew(refreshToken)
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage({ usedRefreshToken: refreshToken, tokens } satisfies Renewal)
  channel.close()
  return tokens
}

/** Listens for renewals of other tabs; returns a function that stops. */
export function listenForRenewals(onRenewal: (renewal: Renewal) => void): () => void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = ({ data }: MessageEvent<Renewal>) => onRenewal(data)
  return () => channel.close()
}

/** The origin of a token: signing out revokes a token that the explorer obtained itself. */
type SignInOrigin = 'typed' | 'link' | 'oauth' | 'view'

/** The credential of this tab, which is kept only in session storage. */
export interface SignIn {
  readonly token: string
  readonly origin: SignInOrigin
  /** Set if the token can be renewed. */
  readonly renewal?: { readonly refreshToken: string; readonly expiresAtMs: number }
}

const SESSIONS = '/api/admin/v1/sessions'
const TOKEN_KEY = storageKey('token')
const DETAILS_KEY = storageKey('sign-in')

export function readSignIn(): SignIn | undefined {
  const token = sessionStorage.getItem(TOKEN_KEY)
  if (token === null) return undefined
  const details = sessionStorage.getItem(DETAILS_KEY)
  const kept = details === null ? {} : (JSON.parse(details) as Omit<SignIn, 'token'>)
  return { origin: 'typed', ...kept, token }
}

export function saveSignIn(signIn: SignIn | undefined): void {
  if (signIn === undefined) {
    sessionStorage.removeItem(TOKEN_KEY)
    sessionStorage.removeItem(DETAILS_KEY)
    return
  }
  const { token, ...details } = signIn
  sessionStorage.setItem(TOKEN_KEY, token)
  sessionStorage.setItem(DETAILS_KEY, JSON.stringify(details))
}

/** Returns the sign-in that OAuth ended with. */
export function signInOf({ accessToken, refreshToken, expiresAtMs }: Tokens): SignIn {
  const renewal = refreshToken === undefined ? {} : { renewal: { refreshToken, expiresAtMs } }
  return { token: accessToken, origin: 'oauth', ...renewal }
}

/**
 * Takes the one-time code out of the address. It is removed at once, so that it stays neither in the
 * address bar nor in the history.
 */
export function takeCode(): string | undefined {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1]
  if (code === undefined) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return code
}

/** Takes the token of a read-only link out of the address, in the same way. */
export function takeLink(): SignIn | undefined {
  const token = /^#link=([\w-]+)$/.exec(location.hash)?.[1]
  if (token === undefined) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return { token, origin: 'view' }
}

/** Exchanges a one-time code for a token. */
export async function redeemCode(code: string): Promise<SignIn> {
  const request = { method: 'POST', path: SESSIONS, json: { code } } as const
  try {
    const { token } = await openService().connection.send<{ readonly token: string }>(request)
    return { token, origin: 'link' }
  } catch (error) {
    if (statusOf(error) !== 401) throw error
    throw new Error(
      'This link was used already, or it is older than ten minutes. Each link works once. Sign in with a token, or start the demo again for a new link.',
      { cause: error },
    )
  }
}

/** Revokes what the explorer obtained. A token that a person typed is theirs, and stays valid. */
export async function endSignIn({ token, origin, renewal }: SignIn): Promise<void> {
  if (origin === 'oauth') await revokeTokens(renewal?.refreshToken ?? token)
  if (origin === 'link') {
    await openService({ token }).connection.send({ method: 'DELETE', path: SESSIONS })
  }
}
