/**
 * The table of settings: default, meaning, allowed values and parser of each. The configuration,
 * `oqs config` and the test of docs/settings.md all use it.
 */
import {
  AGGREGATE_MAX_GROUPS,
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
import { METRICS_ACCESS } from '../http/metrics-source.ts'
import type { RetrievalLimit } from '../paging/retrieval-limit.ts'
import { KEY_BYTES } from '../paging/token-keys.ts'
import { ACCESS_SETTINGS } from './access-settings.ts'
import { OBSERVATION_SETTINGS } from './observation-settings.ts'
import { Secret } from './secret.ts'
import { isStoreName, withoutPassword } from './store-name.ts'

export interface Setting<T> {
  readonly default: string | undefined
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
    default: undefined,
    meaning: 'A bearer token with all permissions, for automation.',
    allowed: 'at least 16 visible ASCII characters',
    parse: (text: string) => (/^[\x21-\x7e]{16,}$/.test(text) ? new Secret(text) : undefined),
    secret: true,
  },
  OQS_PAGE_TOKEN_KEYS: {
    default: undefined,
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
      'Maximum number of open connections, per process. At most half of them can come from one address.',
  },
  OQS_MEMORY_BUDGET_BYTES: {
    ...numberFrom(MEMORY_BUDGET_MIN_BYTES, 1_099_511_627_776, MEMORY_BUDGET_BYTES),
    meaning:
      'Memory that each process aims to stay within; new requests get 503 while it is used up.',
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
  ...ACCESS_SETTINGS,
  OQS_DOCS: {
    ...onOrOff('on'),
    meaning: 'Whether to serve the API reference: `/docs` and `/openapi.json`.',
  },
  OQS_METRICS: {
    default: 'token',
    meaning:
      'Who may read `/metrics`. `token`: callers with the scope api:metrics-read. `open`: also programs on this machine, without a token. `off`: nobody.',
    allowed: METRICS_ACCESS.join(', '),
    parse: (text: string) => METRICS_ACCESS.find((access) => access === text),
  },
  ...OBSERVATION_SETTINGS,
  OQS_LOG_LEVEL: {
    default: 'info',
    meaning: 'The least severe level that is logged, as JSON lines on standard error.',
    allowed: LOG_LEVELS.join(', '),
    parse: (text: string) => LOG_LEVELS.find((level) => level === text),
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
    default: undefined,
    meaning: 'The bearer token that client commands send; OQS_ADMIN_TOKEN if not set.',
    allowed: 'visible ASCII characters',
    parse: (text: string) => (/^[\x21-\x7e]+$/.test(text) ? new Secret(text) : undefined),
    secret: true,
  },
  OQS_CONFIG: {
    default: undefined,
    meaning: 'A file with one NAME=value per line; environment variables take precedence.',
    allowed: 'the path of a file',
    parse: (text: string) => text,
  },
} as const satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof SETTINGS

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

function onOrOff(usual: 'on' | 'off') {
  const parse = (text: string) => (text === 'on' ? true : text === 'off' ? false : undefined)
  return { default: usual, allowed: 'on or off', parse }
}

function numberFrom(min: number, max: number, usual: number) {
  const parse = (text: string) => wholeNumber(text, min, max)
  return { default: String(usual), allowed: `a number from ${min} to ${max}`, parse }
}

/** A number, or a word in place of it. */
function numberOr<Word extends string>(word: Word, min: number, max: number, usual: number) {
  const { allowed, parse, ...number } = numberFrom(min, max, usual)
  return {
    ...number,
    allowed: `${allowed}, or ${word}`,
    parse: (text: string) => (text === word ? word : parse(text)),
  }
}

function wholeNumber(text: string, min: number, max: number): number | undefined {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  return number >= min && number <= max ? number : undefined
}

function parseKeys(text: string): Secret<readonly Uint8Array[]> | undefined {
  const keys = text.split(',').map((key) => Buffer.from(key.trim(), 'base64'))
  return keys.every((key) => key.length === KEY_BYTES) ? new Secret(keys) : undefined
}
