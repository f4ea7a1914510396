/** The address that a request came from, for the audit log. */
import { type BlockList, isIP, isIPv6 } from 'node:net'

interface AddressedRequest {
  /** The address of the peer of the connection. */
  readonly ip: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/**
 * Returns the address of the client. `X-Forwarded-For` counts only as far as trusted proxies have
 * written it: each proxy appends the address that it received the request from, so the client is the
 * last address that is not a trusted proxy.
 */
export function clientAddress(
  { ip, headers }: AddressedRequest,
  trustedProxies: BlockList | undefined,
): string {
  const peer = plainAddress(ip)
  if (trustedProxies === undefined) return peer
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
  let client = peer
  for (const entry of forwarded.reverse()) {
    if (!isTrusted(client, trustedProxies)) break
    const address = plainAddress(entry.trim())
    if (isIP(address) === 0) break
    client = address
  }
  return client
}

function isTrusted(address: string, trustedProxies: BlockList): boolean {
  return trustedProxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** Returns an IPv4-mapped IPv6 address as plain IPv4. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}
