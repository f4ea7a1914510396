import type { RequestContext } from '../admission/request-context.ts'
import type { RecordShape } from '../contract/object-record.ts'
import type { Scope } from '../contract/scopes.ts'
import type { Catalogue } from '../ontology/catalogue.ts'
import type { OntologyChange } from '../ontology/definition/change-definition.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import type { StoredObject } from '../ontology/values/read-object.ts'
import type { OrderTerm, Query } from '../query/query.ts'
import type { Selection } from '../query/selection.ts'
import type { Aggregated, AggregateRead } from './aggregate-read.ts'

export type { Aggregated, AggregateRead } from './aggregate-read.ts'

/**
 * The port between the service and its databases. A store keeps versioned rows: each commit on an
 * object type takes the type's next version, and a page is read as of one version.
 *
 * What every store promises, and the store contract suite checks: a commit is seen whole or not at
 * all; a commit that was acknowledged is never lost; a page as of a version never changes, but for
 * titles, which follow the definition.
 */
export interface ObjectStore extends AsyncDisposable {
  /** Throws when the database cannot be reached. */
  check(): Promise<void>

  readCatalogue(): Promise<Catalogue>
  saveOntology(change: OntologyChange, context?: RequestContext): Promise<void>

  /** Throws `QueryTimedOut` when reading takes too long, and stops when the client has gone. */
  readPage(read: PageRead, context?: RequestContext): Promise<StoredPage | Reclaimed>
  /** Aggregates objects of the latest version; ends early as `readPage` does. */
  aggregate(read: AggregateRead, context?: RequestContext): Promise<Aggregated>
  commit(batch: Batch, context?: RequestContext): Promise<Commit>

  /**
   * Makes room for objects that will replace all objects of a type at once. Batches that name the
   * replacement go there; nobody sees them until it is published. Gives its name.
   */
  startReplacement(objectType: ObjectType, context?: RequestContext): Promise<string>
  /** Refuses with `ReplacementNotFound` what was published, abandoned or never started. */
  publishReplacement(
    objectType: ObjectType,
    replacement: string,
    context?: RequestContext,
  ): Promise<Commit>
  abandonReplacement(objectType: ObjectType, replacement: string): Promise<void>

  /**
   * Notes which versions are superseded by now, and deletes what has outlived its retention. Gives
   * the number of rows deleted. To be called again and again: a version is kept from the first call
   * that sees it superseded.
   */
  reclaim(retention: Retention): Promise<number>

  /**
   * Prepares for closing: slow queries that wait are refused now, running ones when the grace is
   * over.
   */
  drain(reason: string, graceMs: number): void

  /** The keys that seal page tokens, made once for all nodes of the store. */
  readPageTokenKeys(): Promise<readonly Uint8Array[]>

  createApiToken(token: ApiToken, secretHash: string): Promise<void>
  findApiToken(secretHash: string): Promise<ApiToken | undefined>
  listApiTokens(): Promise<readonly ApiToken[]>
  /** Revokes by id or, all at once, by name; gives how many were revoked. */
  revokeApiTokens(idOrName: string, nowMs: number): Promise<number>
}

export interface StoreOptions {
  /** How long one query may run. */
  readonly queryTimeoutMs?: number
  /** Memory that one query may take, where the store can limit it. */
  readonly queryMemoryBytes?: number
  /** Bytes of pages that are kept for whoever asks for the same again; 0 keeps none. */
  readonly pageCacheBytes?: number
  /** Called once, with what the database said, when its file turns out to be damaged. SQLite only. */
  readonly onDamage?: (cause: unknown) => void
  /** Called when a process that runs slow queries ends and was not stopped by the store. SQLite only. */
  readonly onReaderExit?: (exit: ReaderExit) => void
}

/** How a process that runs slow queries ended. */
export interface ReaderExit {
  readonly readerPid: number | undefined
  readonly status: number | undefined
  readonly signal: string | undefined
}

export interface PageRead {
  readonly objectType: ObjectType
  readonly query: Query
  /** Empty: in key order. */
  readonly order: readonly OrderTerm[]
  readonly record: RecordWish
  /** The place after which the page starts; undefined for the first page. */
  readonly after: Place | undefined
  /** The version to read as of; undefined for the latest. */
  readonly version: number | undefined
  readonly maxObjects: number
  readonly maxBytes: number
  /** How many objects the query matches, where an earlier page has counted them. */
  readonly matches: number | undefined
  /** Whether the exact number of matches is wanted, which takes reading them all. */
  readonly countsMatches: boolean
}

/** What a record shows, in which form, and what stands between two records. */
export interface RecordWish {
  readonly shape: RecordShape
  readonly selection: Selection
  /** A comma when nothing is said. */
  readonly separator?: ',' | '\n'
}

/** The row that a page ended with. Its order values are looked up, so that tokens stay short. */
export interface Place {
  readonly pk: string
  /** The commit that wrote the row; of no meaning in key order. */
  readonly version: number
}

export interface StoredPage {
  /** The records as JSON text with separators between, in order. */
  readonly records: Uint8Array
  /**
   * Gives the memory of the records back, when they were sent or copied; nobody may look at them
   * after that. Left to the garbage collector it would be given back too, at several times the
   * cost of reading the page.
   */
  readonly release: () => void
  readonly count: number
  /** Where the page ended; undefined for an empty page. */
  readonly last: Place | undefined
  /** Whether an object follows the last record. */
  readonly more: boolean
  /** The version that was read. */
  readonly version: number
  /**
   * Objects that the query matches; without conditions, the live objects of the type. Where the
   * exact number was not wanted, whatever the store found useful to know.
   */
  readonly matches: number | undefined
}

/** How long a store keeps what readers no longer see by default. */
export interface Retention {
  /**
   * The clock, in milliseconds. A store reads it after it has looked at the database: what it saw
   * there happened before that time, however long it waited for the database.
   */
  readonly now: () => number
  /** How long row versions are kept after they were superseded. */
  readonly rowVersionsMs: number
  /** How long a replacement is kept that no batch is added to and that is not being published. */
  readonly idleReplacementsMs: number
}

/** The version that was asked for is gone. */
export type Reclaimed = 'reclaimed'

export type Change =
  | { readonly put: StoredObject }
  /** The stored form of the key. */
  | { readonly delete: string }

/**
 * Changes of one object type that happen together or not at all. Of several changes to one object
 * the last counts; the first one, where existing objects are kept.
 */
export interface Batch {
  readonly objectType: ObjectType
  /** All at once, or as they come; if they fail, so does the commit, and nothing is written. */
  readonly changes: readonly Change[] | AsyncIterable<readonly Change[]>
  /** The generation of the catalogue that the objects were checked against. */
  readonly basedOn: number
  /** The replacement to add to; undefined for the objects that readers see. */
  readonly replacement?: string | undefined
  /** Whether an object that exists stays as it is when it is put again. */
  readonly keepsExisting?: boolean
}

export interface Commit {
  /** The version that holds the changes, or the current one when there was nothing to change. */
  readonly version: number
  /** Objects that were written. */
  readonly put: number
  /** Objects that existed and were deleted. */
  readonly deleted: number
  /** Objects that existed and were kept as they were. */
  readonly kept: number
}

/** A bearer token as it is kept: everything but the secret. */
export interface ApiToken {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** API names or RIDs; undefined for every ontology. */
  readonly ontologies: readonly string[] | undefined
  readonly createdAtMs: number
  readonly expiresAtMs: number | undefined
  readonly revokedAtMs: number | undefined
}
