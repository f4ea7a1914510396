import { Worker } from 'node:worker_threads'
import { type ErrorName, ObjectQueryError } from '../../contract/errors.ts'
import { toStoreFailure } from './store-failure.ts'
import type { JobInput, JobMessage, JobReply, JobResult, Jobs } from './thread-jobs.ts'

/** Which thread, on which database. */
export interface ThreadWish {
  /** The module that the thread runs, beside this one and without its ending. */
  readonly module: string
  readonly path: string
  /** What a client is told whose job was under way when the thread ended. */
  readonly lostReason: string
  /** Whether jobs may be left undone when the store is closed. */
  readonly mayBeCut?: boolean
}

/** The main thread's end of a thread that works for it: sends jobs, hands out their results. */
export class WorkingThread<J extends Jobs> implements AsyncDisposable {
  readonly #wish: ThreadWish
  #thread: StartedThread | undefined

  constructor(wish: ThreadWish) {
    this.#wish = wish
  }

  /**
   * Runs a job. What it works through item by item goes ahead of it, part by part as it comes. If
   * the parts fail, the job is not run.
   */
  async run<Name extends keyof J & string>(
    name: Name,
    input: JobInput<J[Name]>,
    parts: AsyncIterable<readonly unknown[]> | readonly [] = [],
  ): Promise<JobResult<J[Name]>> {
    // Started by the first job. One that has ended, for whatever reason, is replaced by the next.
    if (this.#thread === undefined || this.#thread.hasEnded) {
      this.#thread = new StartedThread(this.#wish)
    }
    return this.#thread.run(name, input, parts) as Promise<JobResult<J[Name]>>
  }

  /** Ends when every job that was sent has been answered, or may be left. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.end()
  }
}

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** One thread and the jobs that wait for it. */
class StartedThread {
  hasEnded = false
  readonly #worker: Worker
  readonly #lostReason: string
  readonly #mayBeCut: boolean
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0

  constructor({ module, path, lostReason, mayBeCut = false }: ThreadWish) {
    this.#lostReason = lostReason
    this.#mayBeCut = mayBeCut
    // Source and build name the file differently.
    const file = `./${module}.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`
    this.#worker = new Worker(new URL(file, import.meta.url), { workerData: { path } })
    this.#worker.on('message', (reply: JobReply) => this.#answer(reply))
    this.#worker.on('error', (error) => this.#abandon(error))
    this.#worker.on('exit', () => this.#abandon(new Error(`the ${module} ended`)))
  }

  async run(
    name: string,
    input: unknown,
    parts: AsyncIterable<readonly unknown[]> | readonly [],
  ): Promise<unknown> {
    this.#lastId += 1
    const id = this.#lastId
    const result = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
    })
    // Handled by whoever awaits the job; a failure may come before that.
    result.catch(() => {})
    // The thread keeps the process alive while it has work, and only then.
    this.#worker.ref()
    try {
      for await (const items of parts) this.#post({ id, items })
    } catch (error) {
      this.#post({ id, isForgotten: true })
      throw error
    }
    this.#post({ id, name, input })
    return result
  }

  async end(): Promise<void> {
    if (this.hasEnded) return
    if (this.#mayBeCut) {
      // Nobody is left who could be told.
      this.#waiting.clear()
      await this.#worker.terminate()
      return
    }
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
    else if ('refused' in reply) {
      const { errorName, parameters } = reply.refused
      waiting.reject(new ObjectQueryError(errorName as ErrorName, { ...parameters }))
    } else {
      waiting.reject(toStoreFailure(Object.assign(new Error(reply.failed.message), reply.failed)))
    }
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
