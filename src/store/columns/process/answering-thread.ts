/** A thread that answers one message at a time, and is ended if it hangs. */
import { basename } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'

export interface ThreadLimits {
  readonly maxHeapMb: number
  /**
   * The CPU time after which a thread without progress is ended. It grows with what the thread does,
   * and not with what else the machine has to do.
   */
  readonly maxIdleCpuMs: number
}

/** What every thread gets, besides its own data. */
export interface ThreadData {
  /** What the thread reports, see `STEPS` and `HELD_KB`. */
  readonly progress: Int32Array
}

/** Where a thread counts its steps. */
export const STEPS = 0
/** Where a thread notes the memory that its work takes, in kilobytes. */
export const HELD_KB = 1

const WATCH_MS = 1000

export class AnsweringThread<Message, Answer> implements AsyncDisposable {
  readonly #worker: Worker
  #waiting: PromiseWithResolvers<Answer> | undefined
  #ended: Error | undefined
  readonly #name: string
  readonly #limits: ThreadLimits
  readonly #progress = new Int32Array(new SharedArrayBuffer(8))

  constructor(module: URL, data: object, limits: ThreadLimits) {
    this.#name = basename(module.pathname)
    this.#limits = limits
    const options: WorkerOptions = {
      workerData: { ...data, progress: this.#progress } satisfies ThreadData,
      resourceLimits: { maxOldGenerationSizeMb: limits.maxHeapMb },
    }
    this.#worker = new Worker(module, options)
    this.#worker.on('message', (answer: Answer) => this.#settle(({ resolve }) => resolve(answer)))
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error(`the thread ${this.#name} ended`)))
  }

  get isBusy(): boolean {
    return this.#waiting !== undefined
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined
  }

  /** What the thread has reported, see `ThreadData`. */
  reported(what: typeof STEPS | typeof HELD_KB): number {
    return this.#ended === undefined ? Atomics.load(this.#progress, what) : 0
  }

  /** Sends a message. Rejects if the thread ends before it has answered. */
  ask(message: Message): Promise<Answer> {
    if (this.#waiting !== undefined) throw new Error('the thread has not answered yet')
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    this.#waiting = Promise.withResolvers<Answer>()
    this.tell(message)
    const stopWatching = this.#watch()
    return this.#waiting.promise.finally(stopWatching)
  }

  /** Sends a message that has no answer. */
  tell(message: Message): void {
    this.#worker.postMessage(message)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }

  /** Ends the thread if it hangs. Returns a function that stops watching. */
  #watch(): () => void {
    let seen: number | undefined
    let seenAtMs = 0
    const look = async () => {
      const { user, system } = await this.#worker.cpuUsage()
      const usedMs = (user + system) / 1000
      const progress = this.reported(STEPS)
      if (progress !== seen) seenAtMs = usedMs
      seen = progress
      if (usedMs - seenAtMs <= this.#limits.maxIdleCpuMs) return
      this.#end(new Error(`the thread ${this.#name} made no progress and was ended`))
      await this.#worker.terminate()
    }
    // A thread that has ended has no times.
    const timer = setInterval(() => void look().catch(() => {}), WATCH_MS)
    timer.unref()
    return () => clearInterval(timer)
  }

  #end(error: Error): void {
    this.#ended ??= error
    this.#settle(({ reject }) => reject(error))
  }

  #settle(settle: (waiting: PromiseWithResolvers<Answer>) => void): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting !== undefined) settle(waiting)
  }
}
