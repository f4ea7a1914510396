/** What a store is opened with. */
import type { OntologyCache } from '../ontology/ontology-cache.ts'
import type { DefinitionLimits } from './sql/definition-limits.ts'

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

/** How a process that runs slow queries ended. */
export interface ReaderExit {
  readonly readerPid: number | undefined
  readonly status: number | undefined
  readonly signal: string | undefined
}
