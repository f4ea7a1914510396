import { Worker } from 'node:worker_threads'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { failureOf } from './job-failure.ts'
import type { JobInput, JobMessage, JobReply, JobResult, Jobs } from './thread-jobs.ts'

/** Which thread, on which database. */
export interface WorkerThreadOptions {
  /** The module that the thread runs, beside this one and without its ending. */
  readonly module: string
  readonly path: string
  /** What a client is told whose job was under way when the thread ended. */
  readonly lostReason: string
}

/** The main thread's end of a thread that works for it: sends jobs, hands out their results. */
export class WorkerThread<J extends Jobs> implements AsyncDisposable {
  readonly #wish: WorkerThreadOptions
  #thread: StartedThread | undefined

  constructor(wish: WorkerThreadOptions) {
    this.#wish = wish
  }

  run<Name extends keyof J & string>(
    name: Name,
    input: JobInput<J[Name]>,
  ): Promise<JobResult<J[Name]>> {
    return this.runWithItems(name, input, [])
  }

  /**
   * Runs a job whose items are sent ahead of it, part by part as they come. If the parts fail, the
   * job is not run. The job itself waits for `takeTurn`, which wraps running it.
   */
  async runWithItems<Name extends keyof J & string>(
    name: Name,
    input: JobInput<J[Name]>,
    parts: AsyncIterable<readonly unknown[]> | readonly [],
    takeTurn: <T>(run: () => Promise<T>) => Promise<T> = (run) => run(),
  ): Promise<JobResult<J[Name]>> {
    // Started by the first job. One that has ended, for whatever reason, is replaced by the next.
    if (this.#thread === undefined || this.#thread.hasEnded) {
      this.#thread = new StartedThread(this.#wish)
    }
    const thread = this.#thread
    const job = thread.openJob()
    try {
      for await (const items of parts) job.send(items)
      return (await takeTurn(() => job.run(name, input))) as JobResult<J[Name]>
    } catch (error) {
      job.cancel()
      throw error
    }
  }

  /** Ends when every job that was sent has been answered. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.end()
  }
}

type Waiting = Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'>

/** A job whose items are still being sent. */
interface OpenJob {
  readonly send: (items: readonly unknown[]) => void
  readonly run: (name: string, input: unknown) => Promise<unknown>
  /** Drops the items; does nothing when the job was answered. */
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
    // Source and build name the file differently.
    const file = `./${module}.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`
    this.#worker = new Worker(new URL(file, import.meta.url), { workerData: { path } })
    this.#worker.on('message', (reply: JobReply) => this.#answer(reply))
    this.#worker.on('error', (error) => this.#abandon(error))
    this.#worker.on('exit', () => this.#abandon(new Error(`the ${module} ended`)))
  }

  openJob(): OpenJob {
    this.#lastId += 1
    const id = this.#lastId
    const result = Promise.withResolvers<unknown>()
    this.#waiting.set(id, result)
    // The caller awaits it later, when all items are sent; it may fail before that.
    result.promise.catch(() => {})
    // The thread keeps the process alive while it has work, and only then.
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
