/** What callers have and do, as it crosses the port: tokens, documents, keys, the audit log. */

import type { AuditRecord } from '../../contract/audit-record.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { RequestContext } from './request-context.ts'
import type { Commit, IdempotencyKey, IdempotencyNote } from './writes.ts'

export interface Credentials {
  /** Small documents beside the objects, see `Documents`. */
  readonly documents: Documents

  readonly audit: AuditLog

  /**
   * Returns the result of the write that was committed with a key, or undefined if there is none.
   * Throws `IdempotencyKeyReused` if it was another request.
   */
  findEarlierCommit(idempotencyKey: IdempotencyKey): Promise<Commit | undefined>

  /** The keys that seal page tokens, created once for all nodes of the store. */
  readPageTokenKeys(): Promise<readonly Uint8Array[]>

  createApiToken(
    token: ApiToken,
    secretHash: string,
    idempotencyKey?: IdempotencyNote,
  ): Promise<void>
  findApiToken(secretHash: string): Promise<ApiToken | undefined>
  /**
   * Returns a token if that needs no waiting. SQLite reads it; PostgreSQL returns one that was found
   * before, under the same terms as `cachedCatalogue`.
   */
  tokenAtHand(secretHash: string): FoundToken | undefined
  findApiTokenById(id: string): Promise<ApiToken | undefined>
  /** Returns all tokens except those that were issued to OAuth clients. */
  listApiTokens(): Promise<readonly ApiToken[]>
  /**
   * Revokes tokens, and all tokens that were issued to OAuth clients on their behalf. Returns how
   * many were revoked, without the latter.
   */
  revokeApiTokens(ids: readonly string[], nowMs: number): Promise<number>
  /** Deletes tokens, which nobody can use or list any more. */
  deleteApiTokens(ids: readonly string[]): Promise<void>
  /** Revokes the tokens that were issued to an OAuth client, or for one of its grants. */
  revokeIssuedTokens(clientOrGrantId: string, nowMs: number): Promise<number>
}

/** A token, and the generation of all tokens and policies at that moment, if the store counts them. */
export interface FoundToken {
  readonly token: ApiToken
  readonly generation: number | undefined
}

/** A stored bearer token: everything but the secret. */
export interface ApiToken {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** API names or RIDs; undefined for every ontology. */
  readonly ontologies: readonly string[] | undefined
  /**
   * Names of the policies that limit what the token may do: one list for each credential behind it,
   * each of which must allow a request. Undefined if no policy limits it.
   */
  readonly policies?: readonly (readonly string[])[] | undefined
  readonly createdAtMs: number
  readonly expiresAtMs: number | undefined
  readonly revokedAtMs: number | undefined
  /** Set if the token was issued to an OAuth client. Such a token is deleted after it expires. */
  readonly issue?: TokenIssue | undefined
}

/** Why a token was issued to an OAuth client. */
interface TokenIssue {
  readonly clientId: string
  /** The grant of a person; undefined if the client acts for itself. */
  readonly grantId: string | undefined
  /** The id of the API token that signed in; undefined if the client acts for itself. */
  readonly subjectId: string | undefined
}

/**
 * An append-only log. The record of a write of objects or of a definition is added by the write
 * itself, see `RequestContext.audit`; this adds all others.
 */
export interface AuditLog {
  /** Adds records; they are on disk when the promise resolves. */
  append(records: readonly AuditRecord[]): Promise<void>
  /** Returns the records that match, the latest first. Times out and stops like `readPage`. */
  list(request: ListAuditRequest, context?: RequestContext): Promise<readonly StoredAuditRecord[]>
}

/** Undefined members match all records. */
export interface AuditFilter {
  /** The first and the last millisecond, the latter excluded. */
  readonly sinceMs?: number | undefined
  readonly untilMs?: number | undefined
  /** The id or the name of the caller. */
  readonly caller?: string | undefined
  readonly operation?: string | undefined
  readonly ontology?: string | undefined
}

export interface ListAuditRequest extends AuditFilter {
  /** The list starts after this record. */
  readonly after?: AuditCursor | undefined
  readonly maxRecords: number
}

/** The position of a record in the list. */
interface AuditCursor {
  readonly atMs: number
  readonly id: number
}

export interface StoredAuditRecord {
  /** Increases in the order in which records are added, with gaps. */
  readonly id: number
  readonly record: AuditRecord
}

/** Kinds of documents. Ids are unique within a kind. */
export type DocumentKind =
  | 'oauthClient'
  | 'oauthCode'
  | 'oauthGrant'
  | 'oauthRefreshToken'
  | 'credentialUse'
  | 'sessionCode'
  | 'browserSession'
  | 'downloadTicket'
  | 'temporaryObjectSet'
  | 'policy'
  /** What a store writes to see whether it can. */
  | 'writeTrial'
  /** Its id starts with `savedViewPrefix`. */
  | 'savedView'
  /** The position of a source, see `SourceTransactions`. */
  | 'sourcePosition'
  /** What a source reports about itself. Its id starts with `sourceReportPrefix`. */
  | 'sourceReport'
  /** The release that opened the store last: one document. */
  | 'release'

export interface StoredDocument {
  readonly kind: DocumentKind
  /** Unique within the kind. */
  readonly id: string
  /** Any JSON value. */
  readonly body: unknown
  /** When the document expires and is no longer returned; undefined if it never expires. */
  readonly expiresAtMs: number | undefined
}

export interface FoundDocuments {
  readonly documents: readonly StoredDocument[]
  /**
   * The generation of tokens and policies when the documents were read; see `FoundToken`. Undefined
   * if no document was found, or if a store has no such number because reading costs little.
   */
  readonly generation: number | undefined
}

/** What a write of a document depends on. */
export interface DocumentGuard {
  /** The document that is written, as it was read; null if there must be none, not even an expired one. */
  readonly expected?: StoredDocument | null
  readonly idempotencyKey?: IdempotencyNote | undefined
}

/**
 * Documents with an expiry. A document is stored when `put` resolves. Reads take the time, and never
 * return a document that has expired by then; maintenance deletes it.
 */
export interface Documents {
  /**
   * Creates a document, or replaces the one with the same kind and id. Returns false, and writes
   * nothing, if that is not the expected one: of several concurrent calls that expect the same
   * document, one writes.
   */
  put(document: StoredDocument, context?: RequestContext, guard?: DocumentGuard): Promise<boolean>
  find(kind: DocumentKind, id: string, nowMs: number): Promise<StoredDocument | undefined>
  /** Returns the documents with these ids, as of one moment. */
  findAll(kind: DocumentKind, ids: readonly string[], nowMs: number): Promise<FoundDocuments>
  /** Removes a document and returns it. Of several concurrent calls, one gets the document. */
  take(kind: DocumentKind, id: string, nowMs: number): Promise<StoredDocument | undefined>
  /** Changes the expiry. Returns false, and creates nothing, if there is no such document. */
  extend(kind: DocumentKind, id: string, expiresAtMs: number, nowMs: number): Promise<boolean>
  /** Returns the documents of a kind whose ids have a prefix, in order of their ids by code point. */
  list(kind: DocumentKind, nowMs: number, prefix?: string): Promise<readonly StoredDocument[]>
  /** Returns whether there was a document, expired or not, and the expected one. */
  delete(kind: DocumentKind, id: string, guard?: DocumentGuard): Promise<boolean>
}
