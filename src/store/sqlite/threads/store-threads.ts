/** The threads and processes of a store: they write, checkpoint, and run slow queries. */

import { availableParallelism } from 'node:os'
import type { DatabaseSync } from 'node:sqlite'
import { QUERY_MEMORY_BYTES, QUERY_TIMEOUT_SECONDS } from '../../../contract/limits.ts'
import type { StoreOptions } from '../../object-store.ts'
import { ReaderPool } from './reader-pool.ts'
import type { Jobs } from './thread-jobs.ts'
import { type JobWorker, WorkerThread } from './worker-thread.ts'
import type { WriteJobs } from './write-jobs.ts'

export interface StoreThreads {
  readonly writer: WorkerThread<WriteJobs>
  readonly checkpointer: Checkpointer
  readonly slowReaders: SlowReaders
}

/** Moves what is in the WAL to the database, if at least so many pages wait for that. */
export type Checkpointer = Pick<WorkerThread<CheckpointJobs>, 'run' | typeof Symbol.asyncDispose>

interface CheckpointJobs extends Jobs {
  readonly checkpoint: (db: DatabaseSync, minPages: number) => void
}

/** Runs slow queries: the processes, or something else that runs the same jobs. */
export type SlowReaders = Pick<
  ReaderPool,
  'run' | 'prepare' | 'state' | 'drain' | typeof Symbol.asyncDispose
>

export type CreateThreads = (path: string, options: StoreOptions) => StoreThreads

export const createThreads: CreateThreads = (path, options) => ({
  writer: createWriter(path),
  checkpointer: new WorkerThread({
    module: 'checkpoint-thread',
    path,
    lostReason: 'the checkpoint thread ended',
  }),
  slowReaders: createSlowReaders(path, options),
})

/** Creates the writer, in a thread unless `start` starts something else. */
export function createWriter(path: string, start?: () => JobWorker): WorkerThread<WriteJobs> {
  return new WorkerThread({
    module: 'writer-thread',
    path,
    lostReason: 'the writer thread ended; whether this was written is not known',
    ...(start && { start }),
  })
}

/** At least two, so that the slow query of one caller leaves a process to other callers. */
const READERS = Math.max(2, Math.min(4, availableParallelism()))

/** Creates the processes that run slow queries. */
function createSlowReaders(path: string, options: StoreOptions): ReaderPool {
  return new ReaderPool({
    path,
    size: READERS,
    queryTimeoutMs: options.queryTimeoutMs ?? 1000 * QUERY_TIMEOUT_SECONDS,
    maxBytes: QUERY_MEMORY_BYTES,
    onExit: options.onReaderExit,
  })
}
