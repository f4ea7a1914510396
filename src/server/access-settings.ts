/** The settings of TLS, of browsers on other sites, and of an OpenID provider. */
import { LOOPBACK_HOSTS } from '../contract/redirect-uri.ts'
import { isScope, type Scope } from '../contract/scopes.ts'

/** Signature algorithms with public keys; a shared secret could be used to forge tokens. */
const ALGORITHMS = [
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
] as const

/** The first segments of the service's own paths: below one of them, paths would be ambiguous. */
const OWN_SEGMENTS = ['api', 'multipass', 'o', 'admin', 'assets', 'docs']

export const ACCESS_SETTINGS = {
  OQS_BASE_PATH: {
    default: '/',
    meaning: 'The path under which a proxy serves the service.',
    allowed: `/, or a path such as /objects of letters, digits and -._~ that does not start with ${OWN_SEGMENTS.map((name) => `/${name}`).join(', ')}`,
    parse: parseBasePath,
  },
  OQS_TLS_CERT: {
    default: undefined,
    meaning:
      'The certificate, with intermediate ones, for HTTPS; read again on SIGHUP. Requires OQS_TLS_KEY.',
    allowed: 'the path of a PEM file',
    parse: (text: string) => text,
  },
  OQS_TLS_KEY: {
    default: undefined,
    meaning: 'The private key of OQS_TLS_CERT, without a passphrase; read again on SIGHUP.',
    allowed: 'the path of a PEM file',
    parse: (text: string) => text,
  },
  OQS_CORS_ORIGINS: {
    default: undefined,
    meaning: 'Web sites whose scripts may call the service from a browser.',
    allowed: 'origins such as https://app.example.com, separated by commas, or *',
    parse: parseOrigins,
  },
  OQS_OIDC_ISSUER: {
    default: undefined,
    meaning: 'The OpenID provider whose tokens are accepted. Requires OQS_OIDC_AUDIENCE.',
    allowed: 'a URL that starts with https://, or with http:// on this machine',
    parse: parseProviderUrl,
  },
  OQS_OIDC_AUDIENCE: {
    default: undefined,
    meaning: 'The audience that tokens of the OpenID provider must have.',
    allowed: 'values separated by commas, of which a token needs one',
    parse: parseNames,
  },
  OQS_OIDC_JWKS_URL: {
    default: undefined,
    meaning: 'The keys of the OpenID provider. If not set, its discovery document names them.',
    allowed: 'a URL that starts with https://, or with http:// on this machine',
    parse: parseProviderUrl,
  },
  OQS_OIDC_ALGORITHMS: {
    default: 'RS256,PS256,ES256,EdDSA',
    meaning: 'The signature algorithms that are accepted from the OpenID provider.',
    allowed: `values separated by commas: ${ALGORITHMS.join(', ')}`,
    parse: (text: string) => {
      const names = parseNames(text)
      return names?.every((name) => ALGORITHMS.some((known) => known === name)) ? names : undefined
    },
  },
  OQS_OIDC_SCOPE_CLAIM: {
    default: 'scope',
    meaning: 'The claim with the scopes of a token; a dot leads into an object.',
    allowed: 'the name of a claim, such as scope or realm_access.roles',
    parse: parseClaim,
  },
  OQS_OIDC_SCOPES: {
    default: undefined,
    meaning:
      'Which scope each value of the claim stands for. If not set, the names of the SDKs are understood.',
    allowed: 'VALUE=SCOPE pairs, separated by commas',
    parse: parseScopeMap,
  },
  OQS_OIDC_ONTOLOGY_CLAIM: {
    default: undefined,
    meaning:
      'The claim with the ontologies that a token is limited to. If not set, tokens are not limited.',
    allowed: 'the name of a claim, such as ontologies',
    parse: parseClaim,
  },
  OQS_OIDC_POLICY_CLAIM: {
    default: undefined,
    meaning:
      'The claim with the policies that limit a token, such as its groups. If not set, no policy limits tokens.',
    allowed: 'the name of a claim, such as groups',
    parse: parseClaim,
  },
  OQS_OIDC_RULE_CLAIMS: {
    default: undefined,
    meaning: 'Further claims that rules of policies can use, each as `$caller.NAME`.',
    allowed: 'names of claims with a text, separated by commas',
    parse: (text: string) => {
      const names = parseNames(text)
      return names?.every((name) => /^[\w-]+$/.test(name)) ? names : undefined
    },
  },
} as const

function parseNames(text: string): readonly string[] | undefined {
  const names = text.split(',').map((name) => name.trim())
  return names.every((name) => name !== '') ? names : undefined
}

function parseOrigins(text: string): '*' | readonly string[] | undefined {
  if (text === '*') return '*'
  const origins = parseNames(text)
  return origins?.every((one) => URL.canParse(one) && new URL(one).origin === one)
    ? origins
    : undefined
}

/** Keys that arrive without TLS could be replaced on their way, except on this machine. */
function parseProviderUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname, username, search, hash } = new URL(text)
  const isLocal = LOOPBACK_HOSTS.includes(hostname)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLocal)
  return isSafe && username === '' && search === '' && hash === '' ? text : undefined
}

function parseClaim(text: string): string | undefined {
  return /^[\w:/.-]+$/.test(text) ? text : undefined
}

function parseScopeMap(text: string): ReadonlyMap<string, Scope> | undefined {
  const pairs = parseNames(text)?.map((pair) => {
    const [, value, scope] = /^([^=]+)=([^=]+)$/.exec(pair) ?? []
    return value !== undefined && scope !== undefined && isScope(scope)
      ? ([value, scope] as const)
      : undefined
  })
  return pairs?.every((pair) => pair !== undefined) ? new Map(pairs) : undefined
}

/** Returns the path without a slash at its end; empty for the root. */
function parseBasePath(text: string): string | undefined {
  if (text === '/') return ''
  if (!/^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+\/?$/.test(text)) return undefined
  const [first = ''] = text.split('/').filter((segment) => segment !== '')
  return OWN_SEGMENTS.includes(first) ? undefined : text.replace(/\/$/, '')
}
