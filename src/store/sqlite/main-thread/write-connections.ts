/** What writes need, on the main thread. */
import type { StoreOptions } from '../../object-store.ts'
import type { StoreGuard } from '../file/store-guard.ts'
import type { ReadConnection } from '../queries/read-connection.ts'
import type { StoreThreads } from '../threads/store-threads.ts'
import type { WorkerThread } from '../threads/worker-thread.ts'
import type { WriteJobs } from '../threads/write-jobs.ts'
import { StagedWrites } from './staged-writes.ts'
import { WriteGroups, WriteQueue } from './write-groups.ts'

/** Writes with more changes are carried out in steps, between which others run. */
const CHANGES_AT_ONCE_MAX = 1000

export interface WriteConnections {
  readonly reading: ReadConnection
  readonly guard: StoreGuard
  readonly writer: WorkerThread<WriteJobs>
  /** In which writes wait for their turn. */
  readonly queue: WriteQueue
  readonly groups: WriteGroups
  readonly staged: StagedWrites
  /** Writes with more changes are staged. */
  readonly maxChanges: number
}

export function openWriteConnections(
  reading: ReadConnection,
  guard: StoreGuard,
  { writer, checkpointer }: Pick<StoreThreads, 'writer' | 'checkpointer'>,
  { changesAtOnceMax: maxChanges }: StoreOptions,
): WriteConnections {
  const queue = new WriteQueue()
  return {
    reading,
    guard,
    writer,
    queue,
    groups: new WriteGroups(queue, guard, writer),
    staged: new StagedWrites({ guard, writer, checkpointer, queue, maxChanges }),
    maxChanges: maxChanges ?? CHANGES_AT_ONCE_MAX,
  }
}
