/** What a process does to keep a store healthy, as it crosses the port. */
import type { QueueState } from '../../admission/fair-queue.ts'
import type { OntologyCache } from '../../ontology/ontology-cache.ts'
import type { Publications } from './publications.ts'

export interface Maintenance extends AsyncDisposable {
  readonly publications: Publications

  /** Throws if the database cannot be reached. */
  check(): Promise<void>

  /** Returns whether writes succeed, without waiting for the database. */
  writeState(): WriteState

  /** Returns the queues in which requests wait for this store, and its connections. */
  load(): StoreLoad

  /** Returns what the store holds and does, without reading objects. */
  readStatus(): Promise<StoreStatus>

  /**
   * Notes which versions are superseded, deletes what has outlived its retention or expired, and
   * returns the number of deleted rows. Called periodically: a version is kept from the first call
   * that sees it superseded.
   */
  reclaim(retention: Retention): Promise<number>

  /**
   * Runs one bounded step of rewriting a type for a change of its definition. The objects are copied
   * into a new table, which is then published. Readers and writers never wait for more than a step. Everything is in the database:
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
}

/** The outcome of the writes of this process. */
export interface WriteState {
  readonly commits: number
  /** The writes that a full or failing disk has refused. */
  readonly failed: number
  /** Why the last write was refused; undefined if it succeeded. */
  readonly failure: string | undefined
}

export interface StoreLoad {
  readonly queues: Readonly<Record<string, QueueState>>
  /** The connections to the database, by the kind of their work; none if it is a file. */
  readonly connections: Readonly<Record<string, PoolState>>
}

interface PoolState {
  readonly inUse: number
  readonly idle: number
  readonly limit: number
  /** The number of tasks that wait for a connection. */
  readonly waiting: number
}

/** What a verification has checked. */
export interface Verified {
  /** The number of row versions. */
  readonly rows: number
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

/** `copying` the objects, building an index, or `catchingUp` with commits made since. */
type RunningPhase = 'copying' | 'indexing' | 'catchingUp'

/**
 * A rewrite ends as `published`. It is `cancelled` if its type is replaced, redefined or dropped, and
 * may start again. It has `failed` if an object cannot be rewritten; the type keeps its table and its
 * definition.
 */
export type RewritePhase = RunningPhase | 'published' | 'cancelled' | 'failed'

/** A running rewrite. One that has ended leaves no entry in the catalogue. */
export interface RewriteState {
  readonly typeRid: string
  /** Set if the objects are converted to another definition of this ontology. */
  readonly ontologyRid?: string
  readonly phase: RunningPhase
  /** The number of objects that were copied. */
  readonly objects: number
  readonly totalObjects: number
}

/** What a step of a rewrite has led to. */
export interface RewriteProgress extends Omit<RewriteState, 'phase'> {
  readonly phase: RewritePhase
  /** Why the rewrite has failed. */
  readonly reason?: string | undefined
}

/** The newest state of an object type. */
export interface TypeState {
  readonly typeRid: string
  /** The number of objects of the newest version. */
  readonly count: number
  /** The newest version; 0 before the first commit. */
  readonly version: number
  /** The oldest version that can still be read. */
  readonly oldestVersion: number
}

export interface StoreStatus {
  readonly kind: 'sqlite' | 'postgresql'
  /** The bytes that the database takes on disk; undefined if the database does not say. */
  readonly storedBytes: number | undefined
  /** Those with the most objects, at most `STATUS_MAX_TYPES`. */
  readonly types: readonly StoredTypeState[]
  /** Replacements that are being loaded. */
  readonly replacements: readonly ReplacementState[]
  /** Types that are being rewritten, and those of which that has failed. */
  readonly rewrites: readonly RewriteState[]
  /** Tables that no reader needs any more and that maintenance has still to remove. */
  readonly tablesToRemove: number
  /** Whether this process is reclaiming. */
  readonly isReclaiming: boolean
  /** By RID: the names of all types in the status. */
  readonly typeNames: ReadonlyMap<string, TypeName>
  /** The page cache of this process. */
  readonly pageCache: PageCacheState
}

/** The part of the status that is the same for all processes. */
export type DatabaseStatus = Omit<StoreStatus, 'isReclaiming' | 'pageCache'>

interface StoredTypeState extends TypeState {
  /** The bytes of the tables and indexes of the type; undefined if they are not cheap to read. */
  readonly storedBytes: number | undefined
}

interface ReplacementState {
  readonly typeRid: string
  readonly replacement: string
  /** The number of objects that have arrived. */
  readonly count: number
}

/** The API names of an object type and of its ontology. */
export interface TypeName {
  readonly ontology: string
  readonly objectType: string
}

export interface PageCacheState {
  readonly pages: number
  readonly bytes: number
  /** 0 if the cache is disabled. */
  readonly maxBytes: number
  /** Requests for cacheable pages since the start that found their page, and that did not. */
  readonly hits: number
  readonly misses: number
}

/** What the columns process holds. */
export interface ColumnsStatus {
  /** The memory of the whole process: of columns, program and threads, and what is not collected yet. */
  readonly residentBytes: number
  readonly usedBytes: number
  readonly maxBytes: number
  readonly types: readonly TypeColumnsStatus[]
}

interface TypeColumnsStatus {
  readonly typeRid: string
  readonly state: 'building' | 'ready' | 'tooLarge' | 'failed'
  readonly objects: number
  readonly bytes: number
  /** The bytes of the file from which columns are read into memory; 0 if they are only in memory. */
  readonly fileBytes: number
  /** The version that the columns have caught up with. */
  readonly version: number
  /** Undefined if there are none. */
  readonly builtAtMs: number | undefined
  /** While columns are built from the table. */
  readonly building: { readonly objects: number; readonly totalObjects: number } | undefined
}

/** The texts of an ontology. */
export interface OntologySummary {
  readonly rid: string
  readonly apiName: string
  readonly displayName: string | undefined
  readonly description: string | undefined
}

export interface StoreOptions {
  readonly queryTimeoutMs?: number
  /** The size of the page cache; 0 disables it. */
  readonly pageCacheBytes?: number
  /** Where definitions are kept; without it, in a cache of the smallest memory budget. */
  readonly definitions?: OntologyCache
  readonly definitionLimits?: DefinitionLimits
  /** Called once, with the database's error, if its file is damaged. SQLite only. */
  readonly onDamage?: (cause: unknown) => void
  /** Called when a process that runs slow queries ends and was not stopped by the store. SQLite only. */
  readonly onReaderExit?: (exit: ReaderExit) => void
  /** A change that rewrites more objects than this is a background change. */
  readonly rewrittenAtOnceMax?: number
  /** A write that changes more objects than this is carried out in steps. SQLite only. */
  readonly changesAtOnceMax?: number | undefined
}

/** The largest size of all definitions, and of those that one caller created. */
export interface DefinitionLimits {
  readonly totalBytes: number
  readonly callerBytes: number
}

/** How a process that runs slow queries ended. */
export interface ReaderExit {
  readonly readerPid: number | undefined
  readonly status: number | undefined
  readonly signal: string | undefined
}
