/** The bearer token of this tab. It is kept in session storage and nowhere else. */
import { parseBody, senderOf } from './call.ts'

const KEY = 'oqs.token'

export function readToken(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined
}

export function saveToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(KEY)
  else sessionStorage.setItem(KEY, token)
}

/**
 * Takes the one-time code out of the address, and exchanges it for a token. The code is removed at
 * once, so that it stays neither in the address bar nor in the history.
 */
export async function redeemCode(): Promise<string | undefined> {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1]
  if (code === undefined) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  const request = { method: 'POST', path: '/api/admin/v1/sessions', body: { code } } as const
  const { token } = parseBody<{ readonly token: string }>(await senderOf(undefined)(request))
  saveToken(token)
  return token
}
