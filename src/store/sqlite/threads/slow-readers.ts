import { availableParallelism } from 'node:os'
import { QUERY_MEMORY_BYTES, QUERY_TIMEOUT_SECONDS } from '../../../contract/limits.ts'
import type { StoreOptions } from '../../object-store.ts'
import { ReaderPool } from './reader-pool.ts'

/** At least two, so that the slow query of one caller leaves a process to other callers. */
const READERS = Math.max(2, Math.min(4, availableParallelism()))

/** Creates the processes that run slow queries. */
export function createSlowReaders(path: string, options: StoreOptions): ReaderPool {
  return new ReaderPool({
    path,
    size: READERS,
    queryTimeoutMs: options.queryTimeoutMs ?? 1000 * QUERY_TIMEOUT_SECONDS,
    maxBytes: QUERY_MEMORY_BYTES,
    onExit: options.onReaderExit,
  })
}
