/** The main thread's side of a worker thread: sends jobs and receives their results. */
import type { EventEmitter } from 'node:events'
import { Worker } from 'node:worker_threads'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { siblingModule } from '../../../contract/sibling-module.ts'
import {
  failureOf,
  type GroupReply,
  type JobInput,
  type JobMessage,
  type JobReply,
  type JobRequest,
  type JobResult,
  type Jobs,
} from './thread-jobs.ts'

export interface WorkerThreadOptions {
  /** The module that the thread runs: its path relative to this one, without the extension. */
  readonly module: string
  readonly path: string
  /** The reason that clients receive if the thread ends during their job. */
  readonly lostReason: string
  /** Starts something else than a thread that serves the same jobs. */
  readonly start?: () => JobWorker
}

/** The part of a worker that jobs pass through. */
export type JobWorker = Pick<Worker, 'postMessage' | 'ref' | 'unref'> &
  Pick<EventEmitter, 'on' | 'once'>

/** Starts the thread with the first job, and restarts it after it has ended. */
export class WorkerThread<J extends Jobs> implements AsyncDisposable {
  readonly #options: WorkerThreadOptions
  #thread: StartedThread | undefined

  constructor(options: WorkerThreadOptions) {
    this.#options = options
  }

  async run<Name extends keyof J & string>(
    name: Name,
    input: JobInput<J[Name]>,
  ): Promise<JobResult<J[Name]>> {
    return (await this.openJob().run(name, input)) as JobResult<J[Name]>
  }

  /** Opens a job, and sends its items part by part as they arrive. Cancels it if a part fails. */
  async sendItems(parts: AsyncIterable<SentItems>): Promise<OpenJob> {
    const job = this.openJob()
    try {
      for await (const part of parts) job.send(part)
      return job
    } catch (error) {
      job.cancel()
      throw error
    }
  }

  openJob(): OpenJob {
    if (this.#thread === undefined || this.#thread.hasEnded) {
      this.#thread = new StartedThread(this.#options)
    }
    return this.#thread.openJob()
  }

  /** Runs open jobs together, and returns their results in the same order. */
  runGroup(jobs: readonly JobOfGroup[]): readonly Promise<unknown>[] {
    // The thread may have been restarted between two of them; those of the old one have failed.
    for (const [thread, some] of Map.groupBy(jobs, ({ job }) => job.thread)) thread.runGroup(some)
    return jobs.map(({ job }) => job.result)
  }

  /** Ends the thread after all jobs that were sent are done. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.end()
  }
}

type Waiting = Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'>

/** Some items of a job. */
export interface SentItems {
  readonly items: readonly unknown[]
  /** The number of changes in the items, and their length, which decide how the job is run. */
  readonly count: number
  readonly length: number
  /** The buffers to move instead of copying them. */
  readonly transfer: readonly ArrayBuffer[]
}

/** A job whose items are still being sent. */
export interface OpenJob {
  readonly id: number
  /** The number of changes that were sent, and their length. */
  readonly sent: Readonly<Pick<SentItems, 'count' | 'length'>>
  readonly result: Promise<unknown>
  readonly send: (part: SentItems) => void
  /** Returns the items that are sent with the job, because no others followed. */
  readonly takeUnsent: () => SentItems | undefined
  readonly run: (name: string, input: unknown) => Promise<unknown>
  /** The thread that has its items. */
  readonly thread: StartedThread
  /** Drops the items. Does nothing if the job is done. */
  readonly cancel: () => void
}

export interface JobOfGroup {
  readonly job: OpenJob
  readonly name: string
  readonly input: unknown
}

/** One thread and the jobs that wait for it. */
class StartedThread {
  hasEnded = false
  readonly #worker: JobWorker
  readonly #lostReason: string
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #isEnding = false

  constructor(options: WorkerThreadOptions) {
    const { module, lostReason, start = () => startThread(options) } = options
    this.#lostReason = lostReason
    this.#worker = start()
    this.#worker.on('message', (message: JobReply | GroupReply) => {
      if ('replies' in message) for (const reply of message.replies) this.#answer(reply)
      else this.#answer(message)
    })
    this.#worker.on('error', (error) => this.#abandon(error))
    this.#worker.on('exit', () => this.#abandon(new Error(`the thread ${module} ended`)))
  }

  openJob(): OpenJob {
    this.#lastId += 1
    const id = this.#lastId
    const result = Promise.withResolvers<unknown>()
    this.#waiting.set(id, result)
    // Awaited after all items were sent, but it may reject before that.
    result.promise.catch(() => {})
    // Keeps the process alive while the thread has work.
    this.#worker.ref()
    const sent = { count: 0, length: 0 }
    // A part waits for the next one: most jobs have one, and need no message of their own for it.
    let unsent: SentItems | undefined
    const job: OpenJob = {
      id,
      thread: this,
      sent,
      result: result.promise,
      send: (part) => {
        sent.count += part.count
        sent.length += part.length
        if (unsent !== undefined) this.#post({ id, items: unsent.items }, unsent.transfer)
        unsent = part
      },
      takeUnsent: () => {
        const part = unsent
        unsent = undefined
        return part
      },
      run: (name, input) => {
        const { items, transfer } = job.takeUnsent() ?? {}
        this.#post({ id, name, input, items }, transfer)
        return result.promise
      },
      cancel: () => {
        if (this.#waiting.has(id)) this.#post({ id, isCancelled: true })
      },
    }
    return job
  }

  runGroup(jobs: readonly JobOfGroup[]): void {
    const transfers: ArrayBuffer[] = []
    const group = jobs.map(({ job, name, input }): JobRequest => {
      const { items, transfer = [] } = job.takeUnsent() ?? {}
      transfers.push(...transfer)
      return { id: job.id, name, input, items }
    })
    this.#post({ group }, transfers)
  }

  async end(): Promise<void> {
    if (this.hasEnded) return
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve))
    this.#isEnding = true
    this.#worker.ref()
    this.#post('close')
    await ended
  }

  #post(message: JobMessage, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer)
  }

  #answer(reply: JobReply): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    // The last result may arrive while the end of the thread is awaited, which needs the process.
    if (this.#waiting.size === 0 && !this.#isEnding) this.#worker.unref()
    if (waiting === undefined) return
    if ('result' in reply) waiting.resolve(reply.result)
    else waiting.reject(failureOf(reply))
  }

  #abandon(error: Error): void {
    this.hasEnded = true
    for (const { reject } of this.#waiting.values()) {
      const reason = this.#lostReason
      reject(new ObjectQueryError('ServiceUnavailable', { reason }, { cause: error }))
    }
    this.#waiting.clear()
  }
}

function startThread({ module, path }: WorkerThreadOptions): JobWorker {
  return new Worker(siblingModule(module, import.meta.url), { workerData: { path } })
}
