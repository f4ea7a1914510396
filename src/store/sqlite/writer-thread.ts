import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { ObjectQueryError } from '../../contract/errors.ts'
import { openConnection } from './connection.ts'
import { type JobReply, type JobRequest, WRITE_JOBS, type WriterMessage } from './write-jobs.ts'

/**
 * The thread that writes. It has a connection of its own, so that a large batch never holds up the
 * readers of the main thread.
 */

const db = openConnection((workerData as { path: string }).path)

/** The items of jobs that are not complete yet. */
const itemsOf = new Map<number, unknown[]>()

parentPort?.on('message', (message: WriterMessage) => {
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
    parentPort?.postMessage(
      message.name === 'forget' ? { id: message.id, result: undefined } : run(message, items),
    )
  }
})

function run({ id, name, input }: JobRequest, items: readonly unknown[]): JobReply {
  try {
    const job = WRITE_JOBS[name] as (db: DatabaseSync, input: unknown, items: unknown) => unknown
    return { id, result: job(db, input, items) }
  } catch (error) {
    if (error instanceof ObjectQueryError) {
      return { id, refused: { errorName: error.errorName, parameters: error.parameters } }
    }
    const { message, stack, errcode } = error as Error & { errcode?: number }
    return { id, failed: { message, stack, errcode } }
  }
}
