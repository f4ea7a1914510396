/** The state of a store and of its object types, as the catalogue knows it: no object is read. */
import type { RewriteState } from './rewrite.ts'

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

/** The texts of an ontology. */
export interface OntologySummary {
  readonly rid: string
  readonly apiName: string
  readonly displayName: string | undefined
  readonly description: string | undefined
}
