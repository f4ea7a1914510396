import { Worker } from 'node:worker_threads'
import { type ErrorName, ObjectQueryError } from '../../contract/errors.ts'
import { toStoreFailure } from './store-failure.ts'
import type { JobInput, JobName, JobReply, JobRequest, JobResult } from './write-jobs.ts'

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** The main thread's end of the writer thread: sends jobs, hands out their results. */
export class Writer implements AsyncDisposable {
  readonly #path: string
  readonly #waiting = new Map<number, Waiting>()
  #thread: Worker | undefined
  #lastId = 0

  constructor(path: string) {
    this.#path = path
  }

  run<Name extends JobName>(name: Name, input: JobInput<Name>): Promise<JobResult<Name>> {
    this.#thread ??= this.#start()
    this.#lastId += 1
    const request: JobRequest = { id: this.#lastId, name, input }
    const result = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject })
    })
    // The thread keeps the process alive while it has work, and only then.
    this.#thread.ref()
    this.#thread.postMessage(request)
    return result as Promise<JobResult<Name>>
  }

  /** Ends when every job that was sent has been answered. */
  async [Symbol.asyncDispose](): Promise<void> {
    const thread = this.#thread
    if (thread === undefined) return
    const ended = new Promise((resolve) => thread.once('exit', resolve))
    thread.ref()
    thread.postMessage('close')
    await ended
  }

  #start(): Worker {
    // Source and build name the file differently.
    const file = import.meta.url.endsWith('.ts') ? './writer-thread.ts' : './writer-thread.js'
    const thread = new Worker(new URL(file, import.meta.url), { workerData: { path: this.#path } })
    thread.on('message', (reply: JobReply) => this.#answer(reply))
    thread.on('error', (error) => this.#abandon(error))
    // A thread that ended without being asked is replaced by the next job.
    thread.on('exit', () => this.#abandon(new Error('the writer thread ended')))
    return thread
  }

  #answer(reply: JobReply): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if (this.#waiting.size === 0) this.#thread?.unref()
    if (waiting === undefined) return
    if ('result' in reply) waiting.resolve(reply.result)
    else if ('refused' in reply) {
      const { errorName, parameters } = reply.refused
      waiting.reject(new ObjectQueryError(errorName as ErrorName, { ...parameters }))
    } else {
      const error = Object.assign(new Error(reply.failed.message), reply.failed)
      waiting.reject(toStoreFailure(error))
    }
  }

  #abandon(error: Error): void {
    this.#thread = undefined
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of waiting) {
      const reason = 'the writer stopped; whether this was written is not known'
      reject(new ObjectQueryError('ServiceUnavailable', { reason }, { cause: error }))
    }
  }
}
