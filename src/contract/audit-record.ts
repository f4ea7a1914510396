/**
 * The records of the audit log. They name callers, operations, types and keys, and never contain a
 * property value, a secret or a page token.
 */
import type { ErrorName } from './error-catalogue.ts'

/** The levels of the audit log: nothing, requests that change something, or all requests. */
export const AUDIT_LEVELS = ['off', 'writes', 'all'] as const
export type AuditLevel = (typeof AUDIT_LEVELS)[number]

/** Who sent a request. */
export interface AuditCaller {
  /**
   * The id of the API token, of the OAuth client (with the person it acts for), or of the user;
   * `command:` and the name of the user for a command that opened the store.
   */
  readonly id: string
  readonly name: string
  /** The API token or access token; absent for other credentials. */
  readonly tokenId?: string
  /** The OAuth client that holds the token. */
  readonly clientId?: string
}

/** What is known about a request before it is handled. */
export interface AuditEntry {
  /** When the request was admitted, in milliseconds. */
  readonly atMs: number
  readonly requestId: string
  /** The operation of the API, such as `writeObjects`. */
  readonly operation: string
  readonly kind: 'read' | 'write'
  /** Absent if the request was not authenticated. */
  readonly caller?: AuditCaller
  /** The IP address that the request came from; the host name of a command. */
  readonly address: string
  /** API names; absent if the request names none, or one that does not exist. */
  readonly ontology?: string
  readonly objectTypes?: readonly string[]
  /** True if the request only checked what it would change. */
  readonly dryRun?: true
}

/** How a request ended. */
export interface AuditOutcome {
  /** `disconnected`: the client left before it had received the whole response. */
  readonly outcome: 'success' | 'failure' | 'disconnected'
  readonly errorName?: ErrorName
  /** The number of objects in the response. */
  readonly objects?: number
  /** The numbers of objects that were written, deleted, and left unchanged. */
  readonly put?: number
  readonly deleted?: number
  readonly kept?: number
  /** The version of the type that contains the changes. */
  readonly version?: number
  /**
   * What a changed definition no longer has: object types, properties as `type.property`, and link
   * types as `link type.name`; at most `AUDIT_NAMES_MAX`.
   */
  readonly dropped?: readonly string[]
  /** The number of further names. */
  readonly moreDropped?: number
  /**
   * The keys that were written or deleted, the ids of tokens and clients, or the names of policies;
   * at most `AUDIT_KEYS_MAX`.
   */
  readonly keys?: readonly string[]
  /** The number of further keys. */
  readonly moreKeys?: number
}

export interface AuditRecord extends AuditEntry, AuditOutcome {}
