/** Parsers of settings: each returns undefined if the text is not allowed. */
import { BlockList, isIP } from 'node:net'
import { LOOPBACK_HOSTS } from '../contract/redirect-uri.ts'
import { isScope, type Scope } from '../contract/scopes.ts'
import { KEY_BYTES } from '../paging/token-keys.ts'
import { Secret } from './secret.ts'

/** Signature algorithms with public keys; a shared secret could be used to forge tokens. */
export const ALGORITHMS: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
]

/** The first segments of the service's own paths: below one of them, paths would be ambiguous. */
export const OWN_SEGMENTS = ['api', 'multipass', 'o', 'admin', 'assets', 'docs']

export function onOrOff(usual: 'on' | 'off') {
  const parse = (text: string) => (text === 'on' ? true : text === 'off' ? false : undefined)
  return { default: usual, allowed: 'on or off', parse }
}

export function oneOf<Word extends string>(words: readonly Word[]) {
  const parse = (text: string) => words.find((word) => word === text)
  return { allowed: words.join(', '), parse }
}

export function numberFrom(min: number, max: number, usual: number) {
  const parse = (text: string) => wholeNumber(text, min, max)
  return { default: String(usual), allowed: `a number from ${min} to ${max}`, parse }
}

/** A number, or a word in place of it. */
export function numberOr<Word extends string>(word: Word, min: number, max: number, usual: number) {
  const { allowed, parse, ...number } = numberFrom(min, max, usual)
  return {
    ...number,
    allowed: `${allowed}, or ${word}`,
    parse: (text: string) => (text === word ? word : parse(text)),
  }
}

export function wholeNumber(text: string, min: number, max: number): number | undefined {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  return number >= min && number <= max ? number : undefined
}

export function parseKeys(text: string): Secret<readonly Uint8Array[]> | undefined {
  const keys = text.split(',').map((key) => Buffer.from(key.trim(), 'base64'))
  return keys.every((key) => key.length === KEY_BYTES) ? new Secret(keys) : undefined
}

export function parseNames(
  text: string,
  isAllowed: (name: string) => boolean = () => true,
): readonly string[] | undefined {
  const names = text.split(',').map((name) => name.trim())
  return names.every((name) => name !== '' && isAllowed(name)) ? names : undefined
}

export function parseOrigins(text: string): '*' | readonly string[] | undefined {
  if (text === '*') return '*'
  return parseNames(text, (one) => URL.canParse(one) && new URL(one).origin === one)
}

/** Keys that arrive without TLS could be replaced on their way, except on this machine. */
export function parseProviderUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname, username, search, hash } = new URL(text)
  const isLocal = LOOPBACK_HOSTS.includes(hostname)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLocal)
  return isSafe && username === '' && search === '' && hash === '' ? text : undefined
}

export function parseClaim(text: string): string | undefined {
  return /^[\w:/.-]+$/.test(text) ? text : undefined
}

export function parseScopeMap(text: string): ReadonlyMap<string, Scope> | undefined {
  const pairs = parseNames(text)?.map((pair) => {
    const [, value, scope] = /^([^=]+)=([^=]+)$/.exec(pair) ?? []
    return value !== undefined && scope !== undefined && isScope(scope)
      ? ([value, scope] as const)
      : undefined
  })
  return pairs?.every((pair) => pair !== undefined) ? new Map(pairs) : undefined
}

/** Returns the path without a slash at its end; empty for the root. */
export function parseBasePath(text: string): string | undefined {
  if (text === '/') return ''
  if (!/^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+\/?$/.test(text)) return undefined
  const [first = ''] = text.split('/').filter((segment) => segment !== '')
  return OWN_SEGMENTS.includes(first) ? undefined : text.replace(/\/$/, '')
}

export function parseNetworks(text: string): BlockList | undefined {
  const networks = new BlockList()
  try {
    for (const entry of text.split(',')) {
      const [address = '', bits] = entry.trim().split('/')
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
      if (bits === undefined) networks.addAddress(address, family)
      else if (/^\d{1,3}$/.test(bits)) networks.addSubnet(address, Number(bits), family)
      else return undefined
    }
    return networks
  } catch {
    return undefined
  }
}

export function parseHeaders(text: string): Secret<Readonly<Record<string, string>>> | undefined {
  try {
    const pairs = text.split(',').map((pair) => /^\s*([\w-]+)=(.*?)\s*$/.exec(pair))
    if (pairs.includes(null)) return undefined
    const headers = pairs.map((pair) => [pair?.[1] ?? '', decodeURIComponent(pair?.[2] ?? '')])
    return new Secret(Object.fromEntries(headers) as Record<string, string>)
  } catch {
    return undefined
  }
}
