/** The side of a thread or process that runs jobs one after the other. */
import type { DatabaseSync } from 'node:sqlite'
import { type MessagePort, workerData } from 'node:worker_threads'
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { GroupReply, JobMessage, JobReply, JobRequest } from './thread-jobs.ts'

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
  const addItems = (id: number, added: readonly unknown[]) => {
    const items = itemsOf.get(id)
    if (items === undefined) itemsOf.set(id, [...added])
    else items.push(...added)
  }
  const takeItems = ({ id, items: last = [] }: Pick<JobRequest, 'id' | 'items'>) => {
    const items = itemsOf.get(id)
    if (items === undefined) return last
    itemsOf.delete(id)
    items.push(...last)
    return items
  }

  port.on('message', (message: JobMessage) => {
    if (message === 'close') {
      db.close()
      port.close()
    } else if ('group' in message) {
      const { group } = message
      const outcomes = runGroup(group.map((job) => ({ ...job, items: takeItems(job) })))
      const replies = outcomes.map((outcome, index) => answerJob(group[index]?.id ?? 0, outcome))
      port.postMessage({ replies } satisfies GroupReply)
    } else if ('name' in message) {
      const { id, name, input } = message
      const items = takeItems(message)
      port.postMessage(answerJob(id, () => runJob(name, input, items)))
    } else if ('isCancelled' in message) {
      takeItems(message)
      port.postMessage({ id: message.id, result: undefined } satisfies JobReply)
    } else {
      addItems(message.id, message.items)
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
