/** Small JSON documents beside the objects: OAuth clients, grants, policies, tickets, object sets. */
import type { RequestContext } from './port/request-context.ts'
import type { IdempotencyNote } from './write-request.ts'

/** Kinds of documents. Ids are unique within a kind. */
export type DocumentKind =
  | 'oauthClient'
  | 'oauthCode'
  | 'oauthGrant'
  | 'oauthRefreshToken'
  | 'credentialUse'
  | 'sessionCode'
  | 'downloadTicket'
  | 'temporaryObjectSet'
  | 'policy'

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
   * The generation of tokens and policies when the documents were read; see `CachedToken`. Undefined
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
  /** Returns all documents of a kind, in order of their ids by code point. */
  list(kind: DocumentKind, nowMs: number): Promise<readonly StoredDocument[]>
  /** Returns whether there was a document, expired or not, and the expected one. */
  delete(kind: DocumentKind, id: string, guard?: DocumentGuard): Promise<boolean>
}
