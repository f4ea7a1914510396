/** The credential of this tab, which is kept only in session storage. */
import { storageKey } from '../api/base-path.ts'
import { openService, statusOf } from '../api/service.ts'
import { revokeTokens, type Tokens } from './oauth.ts'

/** The origin of a token: signing out revokes a token that the explorer obtained itself. */
type SignInOrigin = 'typed' | 'link' | 'oauth'

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
