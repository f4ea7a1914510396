/**
 * Objects as they cross the port: pages, aggregations, commits and replacements. The rules of a
 * caller apply to exactly these methods.
 */
import type { ObjectType } from '../../ontology/ontology.ts'
import type {
  AggregateRequest,
  AggregateResult,
  ListChangesRequest,
  ListedChanges,
  ReadPageRequest,
  ReadRecordsRequest,
  ReadSetPageRequest,
  Reclaimed,
  SplitKeys,
  SplitKeysRequest,
  StoredPage,
  StoredSetPage,
} from './pages.ts'
import type { RequestContext } from './request-context.ts'
import type {
  AppliedTransactions,
  Batch,
  ChangeEncoding,
  Commit,
  DeleteRequest,
  Edit,
  IdempotencyKey,
  PublishMode,
  SourceTransactions,
} from './writes.ts'

export interface Objects {
  /** Throws `QueryTimedOut` after the query timeout. Stops when the client disconnects. */
  readPage(request: ReadPageRequest, context?: RequestContext): Promise<StoredPage | Reclaimed>
  /**
   * Reads the records of known keys in the given order, as one page: `more` says whether keys are
   * left. Returns 'reclaimed' if a key has no object at the version. Costs no more than its records.
   */
  readRecords(
    request: ReadRecordsRequest,
    context?: RequestContext,
  ): Promise<StoredPage | Reclaimed>
  /** Reads a page over several object types, all as of one moment. */
  readSetPage(
    request: ReadSetPageRequest,
    context?: RequestContext,
  ): Promise<StoredSetPage | Reclaimed>
  /** Lists what commits have changed. Times out and stops like `readPage`. */
  listChanges(
    request: ListChangesRequest,
    context?: RequestContext,
  ): Promise<ListedChanges | Reclaimed>
  /**
   * Runs a read in another process, which opens the files of the store by itself. Throws if they are
   * damaged, or are not those that this store has open. SQLite only.
   */
  readElsewhere?<Result>(read: () => Promise<Result>): Promise<Result>
  /** Starts the processes that run slow queries, so that the next ones do not wait for that. */
  prepareSlowQueries?(): void
  /** Divides the current objects of a type by key. Times out and stops like `readPage`. */
  splitKeys(request: SplitKeysRequest, context?: RequestContext): Promise<SplitKeys>
  /** Returns the RIDs of the types that have a current object with one of the ids, or with their key. */
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
  /** Applies transactions of a source, and stores its position with them. */
  applyTransactions(
    request: SourceTransactions,
    context?: RequestContext,
  ): Promise<AppliedTransactions>
  /** Deletes the matches of a query. Finding them times out and stops like `readPage`. */
  deleteMatches(request: DeleteRequest, context?: RequestContext): Promise<Commit>

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
}

export interface QuickPages {
  /** Reads a page that costs no more than its rows; returns undefined if this one may cost more. */
  readQuickPage(
    request: ReadPageRequest,
    context?: RequestContext,
  ): Promise<StoredPage | Reclaimed | undefined>
}

export type FindTypesRequest = FindTypesOfIds | FindTypesOfKeys

/** Each type is searched for an object with its key. */
export interface FindTypesOfKeys {
  readonly keys: readonly { readonly typeRid: string; readonly pk: string }[]
}

export interface FindTypesOfIds {
  /** Ids of objects of any type. */
  readonly ids: readonly string[]
  /** The types that are searched. */
  readonly typeRids: readonly string[]
  /** The search ends after this many types. */
  readonly maxTypes: number
}
