import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { ObjectQueryError } from '../../contract/errors.ts'
import { openConnection } from './connection.ts'
import { type JobReply, type JobRequest, WRITE_JOBS } from './write-jobs.ts'

/**
 * The thread that writes. It has a connection of its own, so that a large batch never holds up the
 * readers of the main thread.
 */

const db = openConnection((workerData as { path: string }).path)

parentPort?.on('message', (request: JobRequest | 'close') => {
  if (request === 'close') {
    db.close()
    parentPort?.close()
    return
  }
  parentPort?.postMessage(run(request))
})

function run({ id, name, input }: JobRequest): JobReply {
  try {
    const job = WRITE_JOBS[name] as (db: DatabaseSync, input: unknown) => unknown
    return { id, result: job(db, input) }
  } catch (error) {
    if (error instanceof ObjectQueryError) {
      return { id, refused: { errorName: error.errorName, parameters: error.parameters } }
    }
    const { message, errcode } = error as Error & { errcode?: number }
    return { id, failed: { message, errcode } }
  }
}
