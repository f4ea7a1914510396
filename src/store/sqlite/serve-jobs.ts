import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { JobMessage, JobReply, JobRequest } from './thread-jobs.ts'

/** The side of a thread that works: takes jobs one after the other, on a connection of its own. */

export type RunJob = (name: string, input: unknown, items: readonly unknown[]) => unknown

/** Where the main thread says that the database is. */
export function databasePath(): string {
  return (workerData as { readonly path: string }).path
}

export function serveJobs(db: DatabaseSync, runJob: RunJob): void {
  /** The items of jobs that are not complete yet. */
  const itemsOf = new Map<number, unknown[]>()

  parentPort?.on('message', (message: JobMessage) => {
    if (message === 'close') {
      db.close()
      parentPort?.close()
    } else if ('items' in message) {
      const items = itemsOf.get(message.id)
      if (items === undefined) itemsOf.set(message.id, [...message.items])
      else items.push(...message.items)
    } else {
      const items = itemsOf.get(message.id) ?? []
      itemsOf.delete(message.id)
      const reply =
        'isForgotten' in message
          ? { id: message.id, result: undefined }
          : answer(runJob, message, items)
      parentPort?.postMessage(reply, ownBuffers(reply))
    }
  })
}

function answer(
  runJob: RunJob,
  { id, name, input }: JobRequest,
  items: readonly unknown[],
): JobReply {
  try {
    return { id, result: runJob(name, input, items) }
  } catch (error) {
    if (error instanceof ObjectQueryError) {
      return { id, refused: { errorName: error.errorName, parameters: error.parameters } }
    }
    const { message, stack, errcode } = error as Error & { errcode?: number }
    return { id, failed: { message, stack, errcode } }
  }
}

/** The bytes of a page change hands; whatever else there is, is copied. */
function ownBuffers(reply: JobReply): ArrayBuffer[] {
  const { records } = ('result' in reply ? (reply.result ?? {}) : {}) as { records?: unknown }
  if (!(records instanceof Uint8Array) || !(records.buffer instanceof ArrayBuffer)) return []
  return records.buffer.byteLength === records.byteLength ? [records.buffer] : []
}
