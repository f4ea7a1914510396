/**
 * The records of the audit log. They name callers, operations, types and keys, and never contain a
 * property value, a secret or a page token.
 */
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { ErrorName } from './error-catalogue.ts'
import { flag, integer, namedObject, text, texts, time } from './schema-parts.ts'

/** The levels of the audit log: nothing, requests that change something, or all requests. */
export const AUDIT_LEVELS = ['off', 'writes', 'all'] as const
export type AuditLevel = (typeof AUDIT_LEVELS)[number]

const count = (description: string) => Type.Optional(integer(description))
const names = (description: string) =>
  Type.Optional(Type.Unsafe<readonly string[]>(texts(description)))

/** Who sent a request. */
const Caller = namedObject(
  'AuditCaller',
  {
    // That of the API token, of the OAuth client (with the person it acts for), or of the user;
    // `command:` and the name of the user for a command that opened the store.
    id: Type.String(),
    name: Type.String(),
    tokenId: Type.Optional(Type.String()),
    clientId: Type.Optional(text('The OAuth client.')),
  },
  { description: 'Absent if the request had no valid credentials.' },
)

/** What is known about a request before it is handled. */
const entryMembers = {
  requestId: text('The request as the log of the service names it.'),
  operation: text(
    'The `operationId` of the endpoint, or `mcp.NAME` for a tool of agents; commands use the same names, and `backup`.',
  ),
  kind: Type.Enum(['read', 'write']),
  caller: Type.Optional(Caller),
  address: text('The IP address that the request came from; the host name of a command.'),
  // Absent if the request names none, or one that does not exist.
  ontology: Type.Optional(Type.String()),
  objectTypes: Type.Optional(Type.Unsafe<readonly string[]>(Type.Array(Type.String()))),
  dryRun: Type.Optional(
    Type.Unsafe<true>(flag('True if the request only checked what it would change.')),
  ),
}

/** How a request ended; `disconnected` if the client left before it had the whole response. */
const outcomeMembers = {
  outcome: Type.Enum(['success', 'failure', 'disconnected']),
  errorName: Type.Optional(Type.Unsafe<ErrorName>(Type.String())),
  objects: count('The number of objects that were read.'),
  put: count('The number of objects that were written.'),
  deleted: count('The number of objects that were deleted.'),
  kept: count('The number of existing objects that were left unchanged.'),
  version: count('The version of the type that contains the changes.'),
  dropped: names(
    'What a changed definition no longer has: object types, properties as `type.property`, and link types as `link type.name`; at most 100.',
  ),
  moreDropped: count('The number of further names.'),
  keys: names(
    'The primary keys that were written or deleted, the ids of tokens and clients, or the names of policies; at most 100.',
  ),
  moreKeys: count('The number of further keys.'),
}

type Members<Properties extends TProperties> = Readonly<Static<TObject<Properties>>>

export type AuditCaller = Readonly<Static<typeof Caller>>
export interface AuditEntry extends Members<typeof entryMembers> {
  /** When the request was admitted, in milliseconds. */
  readonly atMs: number
}
export interface AuditOutcome extends Members<typeof outcomeMembers> {}
export interface AuditRecord extends AuditEntry, AuditOutcome {}

/** A record as the service lists it. */
export const ListedAuditRecord = namedObject('AuditRecord', {
  id: Type.String(),
  time: time('When the request was admitted.'),
  ...entryMembers,
  ...outcomeMembers,
})
export type ListedAuditRecord = Static<typeof ListedAuditRecord>
