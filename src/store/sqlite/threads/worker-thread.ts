/** The main thread's side of a worker thread: sends jobs and receives their results. */
import { Worker } from 'node:worker_threads'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { siblingModule } from '../../../contract/sibling-module.ts'
import { failureOf } from './job-failure.ts'
import type { JobInput, JobMessage, JobReply, JobResult, Jobs } from './thread-jobs.ts'

export interface WorkerThreadOptions {
  /** The module that the thread runs: its path relative to this one, without the extension. */
  readonly module: string
  readonly path: string
  /** The reason that clients receive if the thread ends during their job. */
  readonly lostReason: string
}

/** Starts the thread with the first job, and restarts it after it has ended. */
export class WorkerThread<J extends Jobs> implements AsyncDisposable {
  readonly #options: WorkerThreadOptions
  #thread: StartedThread | undefined

  constructor(options: WorkerThreadOptions) {
    this.#options = options
  }

  run<Name extends keyof J & string>(
    name: Name,
    input: JobInput<J[Name]>,
  ): Promise<JobResult<J[Name]>> {
    return this.runWithItems(name, () => input, [])
  }

  /**
   * Runs a job whose items are sent before it, part by part as they arrive. If a part fails, the job
   * is cancelled. `schedule` decides when the job itself runs, which then asks for its input.
   */
  async runWithItems<Name extends keyof J & string>(
    name: Name,
    input: () => JobInput<J[Name]>,
    parts: AsyncIterable<readonly unknown[]> | readonly [],
    schedule: <T>(run: () => Promise<T>) => Promise<T> = (run) => run(),
  ): Promise<JobResult<J[Name]>> {
    if (this.#thread === undefined || this.#thread.hasEnded) {
      this.#thread = new StartedThread(this.#options)
    }
    const thread = this.#thread
    const job = thread.openJob()
    try {
      for await (const items of parts) job.send(items)
      return (await schedule(() => job.run(name, input()))) as JobResult<J[Name]>
    } catch (error) {
      job.cancel()
      throw error
    }
  }

  /** Ends the thread after all jobs that were sent are done. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.end()
  }
}

type Waiting = Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'>

/** A job whose items are still being sent. */
interface OpenJob {
  readonly send: (items: readonly unknown[]) => void
  readonly run: (name: string, input: unknown) => Promise<unknown>
  /** Drops the items. Does nothing if the job is done. */
  readonly cancel: () => void
}

/** One thread and the jobs that wait for it. */
class StartedThread {
  hasEnded = false
  readonly #worker: Worker
  readonly #lostReason: string
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0

  constructor({ module, path, lostReason }: WorkerThreadOptions) {
    this.#lostReason = lostReason
    this.#worker = new Worker(siblingModule(module, import.meta.url), { workerData: { path } })
    this.#worker.on('message', (reply: JobReply) => this.#answer(reply))
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
    return {
      send: (items) => this.#post({ id, items }),
      run: (name, input) => {
        this.#post({ id, name, input })
        return result.promise
      },
      cancel: () => {
        if (this.#waiting.has(id)) this.#post({ id, isCancelled: true })
      },
    }
  }

  async end(): Promise<void> {
    if (this.hasEnded) return
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve))
    this.#worker.ref()
    this.#post('close')
    await ended
  }

  #post(message: JobMessage): void {
    this.#worker.postMessage(message)
  }

  #answer(reply: JobReply): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if (this.#waiting.size === 0) this.#worker.unref()
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
