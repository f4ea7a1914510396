/**
 * The port between the service and its databases. A store keeps versioned rows: each commit on an
 * object type creates the type's next version, and a page is read as of one version.
 */

import type { Catalogue, OntologyName } from '../ontology/catalogue.ts'
import type { OntologyChange } from '../ontology/definition/change-definition.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import type { AggregateRequest, AggregateResult } from './aggregate-request.ts'
import type { ApiToken, CachedToken } from './api-token.ts'
import type { AuditLog } from './audit-log.ts'
import type { CatalogueOptions } from './catalogue-memory.ts'
import type { ChangeEncoding } from './change-encoding.ts'
import type { DefinitionChanges, SaveOutcome } from './definition-change.ts'
import type { Documents } from './documents.ts'
import type { ReadPageRequest, Reclaimed, StoredPage } from './page-request.ts'
import type { RequestContext } from './port/request-context.ts'
import type { RewriteProgress } from './rewrite.ts'
import type { ReadSetPageRequest, StoredSetPage } from './set-page.ts'
import type { OntologySummary, StoreStatus, TypeState } from './store-status.ts'
import type {
  Batch,
  Commit,
  DeleteRequest,
  Edit,
  IdempotencyKey,
  IdempotencyNote,
  PublishMode,
} from './write-request.ts'

export type { AggregateRequest, AggregateResult } from './aggregate-request.ts'
export type { ApiToken, CachedToken, TokenIssue } from './api-token.ts'
export type {
  AuditCursor,
  AuditFilter,
  AuditLog,
  ListAuditRequest,
  StoredAuditRecord,
} from './audit-log.ts'
export type { CatalogueOptions } from './catalogue-memory.ts'
export {
  type ChangeEncoder,
  type ChangeEncoding,
  type CreateEncoder,
  FEW_CHANGES,
  FEW_CHANGES_LENGTH,
} from './change-encoding.ts'
export type {
  DefinitionChange,
  DefinitionChangeState,
  DefinitionChanges,
  SaveOutcome,
  TriedObjects,
  UnfitObject,
} from './definition-change.ts'
export type {
  DocumentGuard,
  DocumentKind,
  Documents,
  FoundDocuments,
  StoredDocument,
} from './documents.ts'
export { checksumOf } from './object-checksum.ts'
export type {
  Cursor,
  ReadPageRequest,
  Reclaimed,
  RecordSpec,
  StoredPage,
} from './page-request.ts'
export type { RewritePhase, RewriteProgress } from './rewrite.ts'
export {
  type ReadSetPageRequest,
  type SetOrderTerm,
  type SetPagePart,
  type StoredSetPage,
  typesOfSet,
} from './set-page.ts'
export type { ReaderExit, StoreOptions } from './store-options.ts'
export type { OntologySummary, StoreStatus, TypeState } from './store-status.ts'
export {
  type Batch,
  type Change,
  type ChangePart,
  type Commit,
  type CurrentObject,
  type DeleteRequest,
  type Edit,
  type EditDecision,
  type EncodedChanges,
  type IdempotencyKey,
  type IdempotencyNote,
  isEncoded,
  type PublishMode,
} from './write-request.ts'

/**
 * A store of typed objects. The store contract suite checks what every store guarantees: a commit
 * is visible as a whole or not at all; an acknowledged commit is never lost; a page as of a version
 * never changes, except for titles, which follow the definition.
 */
export interface ObjectStore extends AsyncDisposable {
  /** Throws if the database cannot be reached. */
  check(): Promise<void>

  /**
   * Returns the names of all ontologies, with the definitions that the options name. Without options
   * it has all definitions, which may not fit into memory: for commands, not for requests.
   */
  readCatalogue(options?: CatalogueOptions): Promise<Catalogue>
  /**
   * Returns the catalogue that was last read, with the definition of one ontology, without asking
   * the database; undefined if the definition is not in memory. Only for a request whose context
   * has a `cachedIdentity`, which its first page verifies.
   */
  cachedCatalogue(name: OntologyName): Catalogue | undefined
  /** Returns the texts of all ontologies, by API name, without reading a definition. */
  readOntologySummaries(): Promise<readonly OntologySummary[]>
  /**
   * Saves a definition, and converts the stored objects of the types that it redefines, in one
   * transaction. If there are many, `rewriteNext` converts them in the background, and then saves
   * the definition. Throws `OntologyChangeRefused` if that would lose values or if one does not
   * fit, and `OntologyChangeInProgress` while another change runs. A dry run does everything else,
   * but leaves the objects to `definitionChanges.tryObjects`. The note of `idempotencyKey` is recorded if the
   * definition is saved; none if a background change is started.
   */
  saveOntology(change: SavedChange, context?: RequestContext): Promise<SaveOutcome>
  readonly definitionChanges: DefinitionChanges
  /** Throws `OntologyChangeRefused` if the ontology has objects, unless the deletion cascades. */
  deleteOntology(deletion: OntologyDeletion, context?: RequestContext): Promise<void>

  /** Returns the newest state of every object type of an ontology, without reading objects. */
  readTypeStates(ontologyRid: string): Promise<readonly TypeState[]>
  /** Returns what the store holds and does, without reading objects. */
  readStatus(): Promise<StoreStatus>

  /** Throws `QueryTimedOut` after the query timeout. Stops when the client disconnects. */
  readPage(request: ReadPageRequest, context?: RequestContext): Promise<StoredPage | Reclaimed>
  /** Reads a page over several object types, all as of one moment. */
  readSetPage(
    request: ReadSetPageRequest,
    context?: RequestContext,
  ): Promise<StoredSetPage | Reclaimed>
  /** Returns the RIDs of the types that have a current object with one of the ids. */
  findTypes(request: FindTypesRequest, context?: RequestContext): Promise<readonly string[]>
  /** Aggregates objects. Times out and stops like `readPage`. */
  aggregate(
    request: AggregateRequest,
    context?: RequestContext,
  ): Promise<AggregateResult | Reclaimed>
  /** How large batches are encoded in another thread before `commit` receives them. */
  readonly encoding: ChangeEncoding
  commit(batch: Batch, context?: RequestContext): Promise<Commit>
  /** Commits changes that depend on the current state of the objects. */
  edit(edit: Edit, context?: RequestContext): Promise<Commit>
  /** Deletes the matches of a query. Finding them times out and stops like `readPage`. */
  deleteMatches(request: DeleteRequest, context?: RequestContext): Promise<Commit>

  /**
   * Returns the result of the write that was committed with a key, or undefined if there is none.
   * Throws `IdempotencyKeyReused` if it was another request.
   */
  findEarlierCommit(idempotencyKey: IdempotencyKey): Promise<Commit | undefined>

  /**
   * Starts a replacement, which exchanges all objects of a type at once, and returns its name.
   * Batches that name the replacement go there; they are invisible until it is published. The name
   * is the note that is recorded for the key.
   */
  startReplacement(
    objectType: ObjectType,
    context?: RequestContext,
    idempotencyKey?: IdempotencyKey,
  ): Promise<string>
  /** Throws `ReplacementNotFound` if it was abandoned or never started. */
  publishReplacement(
    objectType: ObjectType,
    replacement: string,
    mode?: PublishMode,
    context?: RequestContext,
    /** Called after each index, with the number of indexes that this call has built. */
    onIndexed?: (indexes: number) => void,
  ): Promise<Commit>
  abandonReplacement(objectType: ObjectType, replacement: string): Promise<void>

  /** Small documents beside the objects, see `Documents`. */
  readonly documents: Documents

  readonly audit: AuditLog

  /**
   * Notes which versions are superseded, deletes what has outlived its retention or expired, and
   * returns the number of deleted rows. Called periodically: a version is kept from the first call that sees
   * it superseded.
   */
  reclaim(retention: Retention): Promise<number>

  /**
   * Runs one bounded step of rewriting a type: for a change of its definition, or because its tables
   * have an older layout. The objects are copied into a new table, which is then
   * published. Readers and writers never wait for more than a step. Everything is in the database:
   * another process can continue. Returns undefined if there is nothing to do now.
   */
  rewriteNext(): Promise<RewriteProgress | undefined>

  /**
   * Checks the checksums of all rows, and on SQLite the structure of all tables and indexes, at the
   * priority of slow queries. Throws if something is damaged; on SQLite, damage is reported as if a
   * query had found it.
   */
  verify(signal: AbortSignal): Promise<Verified>
  /** Rejects every request from now on, because another process has found damage. SQLite only. */
  readonly reportDamage?: (cause: string) => void

  /**
   * Prepares for closing: rejects waiting slow queries at once, and running ones after the grace
   * period.
   */
  drain(reason: string, graceMs: number): void

  /** The keys that seal page tokens, created once for all nodes of the store. */
  readPageTokenKeys(): Promise<readonly Uint8Array[]>

  createApiToken(
    token: ApiToken,
    secretHash: string,
    idempotencyKey?: IdempotencyNote,
  ): Promise<void>
  findApiToken(secretHash: string): Promise<ApiToken | undefined>
  /** Returns a token that was found before, under the same terms as `cachedCatalogue`. */
  cachedApiToken?(secretHash: string): CachedToken | undefined
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

/** What a verification has checked. */
export interface Verified {
  /** The number of row versions. */
  readonly rows: number
}

export interface OntologyDeletion {
  readonly ontologyRid: string
  readonly apiName: string
  /** The catalogue generation that contained the ontology. */
  readonly basedOn: number
  /** Whether its objects are deleted as well. */
  readonly cascade: boolean
  readonly idempotencyKey?: IdempotencyNote | undefined
}

/** A change of a definition, and the key of its request. */
export interface SavedChange extends OntologyChange {
  readonly idempotencyKey?: IdempotencyNote | undefined
}

export interface FindTypesRequest {
  /** Ids of objects of any type. */
  readonly ids: readonly string[]
  /** The types that are searched. */
  readonly typeRids: readonly string[]
  /** The search ends after this many types. */
  readonly maxTypes: number
}

/** How long a store keeps superseded row versions and idle replacements. */
export interface Retention {
  /**
   * The clock, in milliseconds. A store reads the clock after the database, so everything it saw
   * there happened before that time, however long the database took to answer.
   */
  readonly now: () => number
  /** How long a row version is kept after it is superseded. */
  readonly rowVersionsMs: number
  /** An idle replacement expires after this long. */
  readonly idleReplacementsMs: number
  /** How long records of the audit log are kept; undefined keeps all of them. */
  readonly auditRecordsMs?: number | undefined
}
