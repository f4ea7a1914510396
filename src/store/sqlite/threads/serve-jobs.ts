/** The side of a thread or process that runs jobs one after the other. */
import type { DatabaseSync } from 'node:sqlite'
import { type MessagePort, workerData } from 'node:worker_threads'
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { JobMessage, JobReply } from './thread-jobs.ts'

export type RunJob = (name: string, input: unknown, items: readonly unknown[]) => unknown

interface GroupedJob {
  readonly name: string
  readonly input: unknown
  readonly items: readonly unknown[]
}

/** Runs jobs together, and returns a function for each that returns its result or throws. */
export type RunGroup = (jobs: readonly GroupedJob[]) => readonly (() => unknown)[]

/** Returns the path of the database, which the main thread has passed to this thread. */
export function databasePath(): string {
  return (workerData as { readonly path: string }).path
}

/** The end of a channel where jobs arrive and their results leave. */
export type JobPort = Pick<MessagePort, 'on' | 'postMessage' | 'close'>

/** Serves the jobs that arrive at a port. */
export function serveJobs(
  port: JobPort,
  db: DatabaseSync,
  runJob: RunJob,
  runGroup: RunGroup = (jobs) =>
    jobs.map(
      ({ name, input, items }) =>
        () =>
          runJob(name, input, items),
    ),
): void {
  /** The items of jobs that are still being sent. */
  const itemsOf = new Map<number, unknown[]>()
  const takeItems = (id: number): readonly unknown[] => {
    const items = itemsOf.get(id) ?? []
    itemsOf.delete(id)
    return items
  }

  port.on('message', (message: JobMessage) => {
    if (message === 'close') {
      db.close()
      port.close()
    } else if ('items' in message) {
      const items = itemsOf.get(message.id)
      if (items === undefined) itemsOf.set(message.id, [...message.items])
      else items.push(...message.items)
    } else if ('group' in message) {
      const { group } = message
      const jobs = group.map(({ id, name, input }) => ({ name, input, items: takeItems(id) }))
      for (const [index, outcome] of runGroup(jobs).entries()) {
        port.postMessage(answerJob(group[index]?.id ?? 0, outcome))
      }
    } else {
      const { id } = message
      const items = takeItems(id)
      const reply =
        'isCancelled' in message
          ? { id, result: undefined }
          : answerJob(id, () => runJob(message.name, message.input, items))
      port.postMessage(reply)
    }
  })
}

/** Runs a job and returns its result or its error as a message. */
export function answerJob(id: number, run: () => unknown): JobReply {
  try {
    return { id, result: run() }
  } catch (error) {
    if (error instanceof ObjectQueryError) {
      return { id, refused: { errorName: error.errorName, parameters: error.parameters } }
    }
    const { message, stack, errcode } = error as Error & { errcode?: number }
    return { id, failed: { message, stack, errcode } }
  }
}
