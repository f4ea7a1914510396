/** The threads and processes of a store: they write, checkpoint, and run slow queries. */
import type { DatabaseSync } from 'node:sqlite'
import type { StoreOptions } from '../../object-store.ts'
import type { ReaderPool } from './reader-pool.ts'
import { createSlowReaders } from './slow-readers.ts'
import type { Jobs } from './thread-jobs.ts'
import { type JobWorker, WorkerThread } from './worker-thread.ts'
import type { WriteJobs } from './write-jobs.ts'

export interface StoreThreads {
  readonly writer: WorkerThread<WriteJobs>
  readonly checkpointer: Checkpointer
  readonly slowReaders: SlowReaders
}

/** Moves what is in the WAL to the database. */
export type Checkpointer = Pick<WorkerThread<CheckpointJobs>, 'run' | typeof Symbol.asyncDispose>

interface CheckpointJobs extends Jobs {
  readonly checkpoint: (db: DatabaseSync, input: undefined) => void
}

/** Runs slow queries: the processes, or something else that runs the same jobs. */
export type SlowReaders = Pick<ReaderPool, 'run' | 'drain' | typeof Symbol.asyncDispose>

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
