/**
 * How the person is signed in: with the session of the browser, which all tabs share and whose cookie
 * scripts cannot read, or with a read-only link, in one tab. The browser keeps no token of a session.
 */
import { storageKey } from '../api/base-path.ts'
import { openService, type ServiceOptions, statusOf } from '../api/service.ts'

export type SignIn = { readonly session: string } | { readonly link: string }

const SESSIONS = '/api/admin/v1/sessions'
/** A random mark in local storage says that there is a session: scripts cannot see the cookie. */
const SESSION_KEY = storageKey('session')
const LINK_KEY = storageKey('link')

export function readSignIn(): SignIn | undefined {
  const link = sessionStorage.getItem(LINK_KEY)
  if (link !== null) return { link }
  const session = localStorage.getItem(SESSION_KEY)
  return session === null ? undefined : { session }
}

/** Calls back when another tab has signed in or out; returns a function that stops. */
export function listenForSignIns(onChange: () => void): () => void {
  const listener = ({ key }: StorageEvent) => {
    if (key === SESSION_KEY || key === null) onChange()
  }
  addEventListener('storage', listener)
  return () => removeEventListener('storage', listener)
}

/** Returns how requests of a sign-in are authenticated. */
export function authenticationOf(signIn: SignIn | undefined): ServiceOptions {
  if (signIn === undefined) return {}
  return 'link' in signIn ? { token: signIn.link } : { isSession: true }
}

/**
 * Takes the one-time code out of the address. It is removed at once, so that it stays neither in the
 * address bar nor in the history.
 */
export function takeCode(): string | undefined {
  return takeFragment(/^#code=([\w-]+)$/)
}

/** Takes the token of a read-only link out of the address: this tab uses it from now on. */
export function takeLink(): void {
  const link = takeFragment(/^#link=([\w-]+)$/)
  if (link !== undefined) sessionStorage.setItem(LINK_KEY, link)
}

function takeFragment(pattern: RegExp): string | undefined {
  const value = pattern.exec(location.hash)?.[1]
  if (value !== undefined) {
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  return value
}

/** Starts a session with a token or a one-time code. */
export async function startSession(
  credential: { readonly token: string } | { readonly code: string },
): Promise<SignIn> {
  const request = { method: 'POST', path: SESSIONS, json: credential } as const
  try {
    await openService({ isSession: true }).connection.send(request)
  } catch (error) {
    if (statusOf(error) !== 401 || 'token' in credential) throw error
    throw new Error(
      'This link was used already, or it is older than ten minutes. Each link works once. Sign in with a token, or get a new link with `npx oqs open`.',
      { cause: error },
    )
  }
  sessionStorage.removeItem(LINK_KEY)
  localStorage.setItem(SESSION_KEY, crypto.getRandomValues(new Uint32Array(2)).join('-'))
  return readSignIn() as SignIn
}

/** Ends the session for all tabs, or forgets the read-only link of this one. */
export async function endSignIn(signIn: SignIn): Promise<void> {
  if ('link' in signIn) {
    sessionStorage.removeItem(LINK_KEY)
    return
  }
  localStorage.removeItem(SESSION_KEY)
  await openService({ isSession: true }).connection.send({ method: 'DELETE', path: SESSIONS })
}
