/** What writes need, on the main thread. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { StoreOptions } from '../../object-store.ts'
import { columnsOf, type PropertyColumns } from '../changes/change-message.ts'
import type { StoreGuard } from '../file/store-guard.ts'
import type { ReadConnection } from '../queries/read-connection.ts'
import type { StoreThreads } from '../threads/store-threads.ts'
import type { WorkerThread } from '../threads/worker-thread.ts'
import type { WriteJobs } from '../threads/write-jobs.ts'
import { Checkpoints } from './checkpoints.ts'
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
  readonly checkpoints: Checkpoints
  readonly groups: WriteGroups
  readonly staged: StagedWrites
  /** Returns the columns of a type: always the same ones, so that a message has them only once. */
  readonly columnsOf: (objectType: ObjectType) => PropertyColumns
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
  const checkpoints = new Checkpoints(guard, checkpointer)
  const known = new WeakMap<ObjectType, PropertyColumns>()
  return {
    reading,
    guard,
    writer,
    queue,
    checkpoints,
    groups: new WriteGroups({ queue, guard, writer, checkpoints }),
    staged: new StagedWrites({ guard, writer, checkpoints, queue, maxChanges }),
    columnsOf: (objectType) => {
      const columns = known.get(objectType) ?? columnsOf(objectType)
      known.set(objectType, columns)
      return columns
    },
    maxChanges: maxChanges ?? CHANGES_AT_ONCE_MAX,
  }
}
