/**
 * The table of settings: default, meaning, allowed values and parser of each. The configuration,
 * `oqs config` and the test of docs/reference/settings.md all use it.
 */
import { AUDIT_LEVELS } from '../contract/audit-record.ts'
import {
  AGGREGATE_MAX_GROUPS,
  AUDIT_RETENTION_DAYS,
  CHANGES_MAX_AGE_SECONDS,
  DEFINITION_MAX_BYTES,
  LIST_OBJECTS_LIMIT,
  MAX_CONCURRENT_REQUESTS,
  MAX_CONNECTIONS,
  MEMORY_BUDGET_BYTES,
  MEMORY_BUDGET_MIN_BYTES,
  PAGE_CACHE_BYTES,
  PAGE_MAX_BYTES,
  PAGE_TOKEN_TTL_SECONDS,
  QUERY_MAX_DEPTH,
  QUERY_MAX_TERMS,
  QUERY_MAX_TEXT_LENGTH,
  QUERY_TIMEOUT_SECONDS,
  RATE_LIMIT_PER_MINUTE,
  SNAPSHOT_MAX_AGE_SECONDS,
} from '../contract/limits.ts'
import { CALLER_DEFINITIONS_MAX_BYTES, DEFINITIONS_MAX_BYTES } from '../contract/memory-limits.ts'
import { METRICS_ACCESS } from '../http/services.ts'
import type { RetrievalLimit } from '../paging/page-limits.ts'
import { KEY_BYTES } from '../paging/token-keys.ts'
import { Secret } from './secret.ts'
import {
  ALGORITHMS,
  numberFrom,
  numberOr,
  OWN_SEGMENTS,
  oneOf,
  onOrOff,
  parseBasePath,
  parseClaim,
  parseHeaders,
  parseKeys,
  parseNames,
  parseNetworks,
  parseOrigins,
  parseProviderUrl,
  parseScopeMap,
  wholeNumber,
} from './setting-parsers.ts'
import { isStoreName, withoutPassword } from './store-name.ts'

export interface Setting<T> {
  /** Absent if the setting is not set unless someone sets it. */
  readonly default?: string
  readonly meaning: string
  readonly allowed: string
  /** Returns undefined if the text is not allowed. */
  readonly parse: (text: string) => T | undefined
  readonly secret?: true
  /** Masks the part of the text that must not be printed. */
  readonly mask?: (text: string) => string
}

/** Returns the text of a setting with its secret parts masked. */
export function displayText({ secret, mask }: Setting<unknown>, text: string): string {
  return secret ? '[secret]' : (mask?.(text) ?? text)
}

export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export const SETTINGS = {
  OQS_HOST: {
    default: '127.0.0.1',
    meaning: 'The address to listen on.',
    allowed: 'a host name or an IP address',
    parse: (text: string) => (/^[A-Za-z0-9.:_-]+$/.test(text) ? text : undefined),
  },
  OQS_PORT: {
    ...numberFrom(0, 65_535, 8080),
    meaning: 'The port to listen on; 0 picks a free port.',
  },
  OQS_STORE: {
    default: 'sqlite:data/oqs.db',
    meaning:
      'Where objects are stored: a SQLite file, or a PostgreSQL database that several nodes can share.',
    allowed:
      'sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters percent-encoded (@ is %40)',
    parse: (text: string) => (isStoreName(text) ? text : undefined),
    mask: withoutPassword,
  },
  OQS_DEMO: {
    ...onOrOff('off'),
    meaning: 'Whether to load the demo into an empty store and print a token for it.',
  },
  OQS_ADMIN_TOKEN: {
    meaning: 'A bearer token with all permissions, for automation.',
    allowed: 'at least 16 visible ASCII characters',
    parse: (text: string) => (/^[\x21-\x7e]{16,}$/.test(text) ? new Secret(text) : undefined),
    secret: true,
  },
  OQS_PAGE_TOKEN_KEYS: {
    meaning:
      'Encryption keys of page tokens: the first key encrypts new tokens, and every key can decrypt them. If not set, a key is generated and kept in the store.',
    allowed: `base64 keys of ${KEY_BYTES} bytes, separated by commas`,
    parse: parseKeys,
    secret: true,
  },
  OQS_PAGE_TOKEN_TTL_SECONDS: {
    ...numberFrom(1, 86_400, PAGE_TOKEN_TTL_SECONDS),
    meaning: 'How long a page token is valid.',
  },
  OQS_SNAPSHOT_MAX_AGE_SECONDS: {
    ...numberFrom(1, 604_800, SNAPSHOT_MAX_AGE_SECONDS),
    meaning: 'How long a snapshot can be read; older row versions are deleted.',
  },
  OQS_CHANGES_MAX_AGE_SECONDS: {
    ...numberFrom(1, 2_592_000, CHANGES_MAX_AGE_SECONDS),
    meaning: 'How long changes can be followed from a token; older row versions are deleted.',
  },
  OQS_PAGE_MAX_BYTES: {
    ...numberFrom(1024, 268_435_456, PAGE_MAX_BYTES),
    meaning:
      'Maximum size of a page in bytes. A page ends early at this size, but holds at least one object.',
  },
  OQS_PAGE_CACHE_BYTES: {
    ...numberFrom(0, 68_719_476_736, PAGE_CACHE_BYTES),
    meaning: 'Size of the page cache of each process; 0 turns it off.',
  },
  OQS_LIST_OBJECTS_LIMIT: {
    default: String(LIST_OBJECTS_LIMIT),
    meaning: 'Maximum number of objects that one walk of revision 1.0 returns over all its pages.',
    allowed: 'a number of at least 1, or none',
    parse: (text: string): RetrievalLimit | undefined =>
      text === 'none' ? 'none' : wholeNumber(text, 1, Number.MAX_SAFE_INTEGER),
  },
  OQS_QUERY_MAX_DEPTH: {
    ...numberFrom(1, 50, QUERY_MAX_DEPTH),
    meaning: 'Maximum nesting depth of `and`, `or` and `not` in a query.',
  },
  OQS_QUERY_MAX_TERMS: {
    ...numberFrom(1, 5000, QUERY_MAX_TERMS),
    meaning: 'Maximum number of conditions, terms and polygon corners in a query.',
  },
  OQS_QUERY_MAX_TEXT_LENGTH: {
    ...numberFrom(1, 1_000_000, QUERY_MAX_TEXT_LENGTH),
    meaning: 'Maximum length of a text in a query, in characters.',
  },
  OQS_AGGREGATE_MAX_GROUPS: {
    ...numberFrom(1, 1_000_000, AGGREGATE_MAX_GROUPS),
    meaning: 'Maximum number of groups in an aggregation.',
  },
  OQS_QUERY_TIMEOUT_SECONDS: {
    ...numberFrom(1, 3600, QUERY_TIMEOUT_SECONDS),
    meaning: 'How long a query may run before it is cancelled.',
  },
  OQS_MAX_CONCURRENT_REQUESTS: {
    ...numberOr('none', 1, 100_000, MAX_CONCURRENT_REQUESTS),
    meaning: 'Maximum number of concurrent requests of one caller, per process.',
  },
  OQS_RATE_LIMIT_PER_MINUTE: {
    ...numberOr('none', 1, 100_000_000, RATE_LIMIT_PER_MINUTE),
    meaning: 'Maximum number of requests of one caller per minute, per process.',
  },
  OQS_MAX_CONNECTIONS: {
    ...numberFrom(1, 1_000_000, MAX_CONNECTIONS),
    meaning:
      'Maximum number of open connections, per process; fewer if it may open too few descriptors. At most half of them can come from one address, and half can follow changes for one caller.',
  },
  OQS_MEMORY_BUDGET_BYTES: {
    ...numberFrom(MEMORY_BUDGET_MIN_BYTES, 1_099_511_627_776, MEMORY_BUDGET_BYTES),
    meaning:
      'Memory that each process aims to stay within; new requests get 503 while it is used up.',
  },
  OQS_COLUMNS_MEMORY: {
    ...numberOr('auto', 0, 1_099_511_627_776, 0),
    default: 'auto',
    meaning:
      'Bytes of memory for columns, which answer counts, facets, aggregations and searches; auto is a quarter of the memory of the machine, at most 4 GiB, and 0 turns them off.',
  },
  OQS_DEFINITIONS_MAX_BYTES: {
    ...numberFrom(DEFINITION_MAX_BYTES, 1_099_511_627_776, DEFINITIONS_MAX_BYTES),
    meaning: 'Maximum size of all ontology definitions together; each counts at least 64 KiB.',
  },
  OQS_CALLER_DEFINITIONS_MAX_BYTES: {
    ...numberFrom(DEFINITION_MAX_BYTES, 1_099_511_627_776, CALLER_DEFINITIONS_MAX_BYTES),
    meaning: 'Maximum size of the definitions of all ontologies that one caller created.',
  },
  OQS_WORKERS: {
    ...numberOr('auto', 1, 256, 1),
    meaning: 'Number of worker processes, which share the port; auto starts one per core.',
  },
  OQS_BASE_PATH: {
    default: '/',
    meaning: 'The path under which a proxy serves the service.',
    allowed: `/, or a path such as /objects of letters, digits and -._~ that does not start with ${OWN_SEGMENTS.map((name) => `/${name}`).join(', ')}`,
    parse: parseBasePath,
  },
  OQS_TLS_CERT: {
    meaning:
      'The certificate, with intermediate ones, for HTTPS; read again on SIGHUP. Requires OQS_TLS_KEY.',
    allowed: 'the path of a PEM file',
    parse: (text: string) => text,
  },
  OQS_TLS_KEY: {
    meaning: 'The private key of OQS_TLS_CERT, without a passphrase; read again on SIGHUP.',
    allowed: 'the path of a PEM file',
    parse: (text: string) => text,
  },
  OQS_CORS_ORIGINS: {
    meaning: 'Web sites whose scripts may call the service from a browser.',
    allowed: 'origins such as https://app.example.com, separated by commas, or *',
    parse: parseOrigins,
  },
  OQS_OIDC_ISSUER: {
    meaning: 'The OpenID provider whose tokens are accepted. Requires OQS_OIDC_AUDIENCE.',
    allowed: 'a URL that starts with https://, or with http:// on this machine',
    parse: parseProviderUrl,
  },
  OQS_OIDC_AUDIENCE: {
    meaning: 'The audience that tokens of the OpenID provider must have.',
    allowed: 'values separated by commas, of which a token needs one',
    parse: parseNames,
  },
  OQS_OIDC_JWKS_URL: {
    meaning: 'The keys of the OpenID provider. If not set, its discovery document names them.',
    allowed: 'a URL that starts with https://, or with http:// on this machine',
    parse: parseProviderUrl,
  },
  OQS_OIDC_ALGORITHMS: {
    default: 'RS256,PS256,ES256,EdDSA',
    meaning: 'The signature algorithms that are accepted from the OpenID provider.',
    allowed: `values separated by commas: ${ALGORITHMS.join(', ')}`,
    parse: (text: string) => parseNames(text, (name) => ALGORITHMS.includes(name)),
  },
  OQS_OIDC_SCOPE_CLAIM: {
    default: 'scope',
    meaning: 'The claim with the scopes of a token; a dot leads into an object.',
    allowed: 'the name of a claim, such as scope or realm_access.roles',
    parse: parseClaim,
  },
  OQS_OIDC_SCOPES: {
    meaning:
      'Which scope each value of the claim stands for. If not set, the names of the SDKs are understood.',
    allowed: 'VALUE=SCOPE pairs, separated by commas',
    parse: parseScopeMap,
  },
  OQS_OIDC_ONTOLOGY_CLAIM: {
    meaning:
      'The claim with the ontologies that a token is limited to. If not set, tokens are not limited.',
    allowed: 'the name of a claim, such as ontologies',
    parse: parseClaim,
  },
  OQS_OIDC_POLICY_CLAIM: {
    meaning:
      'The claim with the policies that limit a token, such as its groups. If not set, no policy limits tokens.',
    allowed: 'the name of a claim, such as groups',
    parse: parseClaim,
  },
  OQS_OIDC_RULE_CLAIMS: {
    meaning: 'Further claims that rules of policies can use, each as `$caller.NAME`.',
    allowed: 'names of claims with a text, separated by commas',
    parse: (text: string) => parseNames(text, (name) => /^[\w-]+$/.test(name)),
  },
  OQS_DOCS: {
    ...onOrOff('on'),
    meaning: 'Whether to serve the API reference: `/docs` and `/openapi.json`.',
  },
  OQS_METRICS: {
    default: 'token',
    meaning:
      'Who may read `/metrics`. `token`: callers with the scope api:metrics-read. `open`: also programs on this machine, without a token. `off`: nobody.',
    ...oneOf(METRICS_ACCESS),
  },
  OQS_AUDIT: {
    default: 'off',
    meaning:
      'What the audit log records. `writes`: requests that change something. `all`: also those that read. `off`: nothing.',
    ...oneOf(AUDIT_LEVELS),
  },
  OQS_AUDIT_FILE: {
    meaning:
      'Where records of the audit log are also written, as JSON lines; the file can be renamed to rotate it.',
    allowed: 'the path of a file, or - for standard output',
    parse: (text: string) => text,
  },
  OQS_AUDIT_RETENTION_DAYS: {
    ...numberFrom(1, 36_500, AUDIT_RETENTION_DAYS),
    meaning: 'How long the store keeps records of the audit log.',
  },
  OQS_TRUSTED_PROXIES: {
    meaning:
      'Proxies whose `X-Forwarded-For` header tells the audit log where a request came from, and whose number of connections is not limited by address.',
    allowed: 'IP addresses and networks such as 10.0.0.0/8, separated by commas',
    parse: parseNetworks,
  },
  OQS_TRACE_SAMPLING: {
    default: '0',
    meaning:
      'The share of requests that are traced with OpenTelemetry; a `traceparent` header overrides it; 0 turns tracing off.',
    allowed: 'a number from 0 to 1',
    parse: (text: string) =>
      /^(?:0(?:\.\d{1,6})?|1(?:\.0+)?)$/.test(text) ? Number(text) : undefined,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: 'http://localhost:4318',
    meaning: 'The collector that traces are sent to, as OTLP over HTTP; `/v1/traces` is added.',
    allowed: 'a URL that starts with http:// or https://, without a user name',
    parse: (text: string) =>
      /^https?:\/\/[^\s/@?#]+(?:\/[^\s?#]*)?$/.test(text) && URL.canParse(text) ? text : undefined,
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    meaning: 'Headers for the collector, such as those with an API key.',
    allowed: 'NAME=VALUE pairs, separated by commas, with special characters percent-encoded',
    parse: parseHeaders,
    secret: true,
  },
  OTEL_SERVICE_NAME: {
    default: 'object-query-service',
    meaning: 'The name of the service in traces.',
    allowed: 'a text',
    parse: (text: string) => text,
  },
  OQS_LOG_LEVEL: {
    default: 'info',
    meaning: 'The least severe level that is logged, as JSON lines on standard error.',
    ...oneOf(LOG_LEVELS),
  },
  OQS_URL: {
    default: 'http://127.0.0.1:8080',
    meaning: 'The service that client commands such as `oqs list` and `oqs import` connect to.',
    allowed: 'a URL that starts with http:// or https://, without a user name',
    parse: (text: string) =>
      /^https?:\/\/[^\s/@]+(?:\/|$)/.test(text) && URL.canParse(text) ? text : undefined,
    mask: withoutPassword,
  },
  OQS_TOKEN: {
    meaning: 'The bearer token that client commands send; OQS_ADMIN_TOKEN if not set.',
    allowed: 'visible ASCII characters',
    parse: (text: string) => (/^[\x21-\x7e]+$/.test(text) ? new Secret(text) : undefined),
    secret: true,
  },
  OQS_CONFIG: {
    meaning: 'A file with one NAME=value per line; environment variables take precedence.',
    allowed: 'the path of a file',
    parse: (text: string) => text,
  },
} as const satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof SETTINGS

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]
