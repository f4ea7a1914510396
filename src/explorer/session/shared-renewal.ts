/**
 * Tells other tabs that a sign-in was renewed. A duplicated tab has a copy of the refresh token, which
 * works once: its second use would end the grant for both tabs.
 */
import type { Tokens } from './oauth.ts'

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
