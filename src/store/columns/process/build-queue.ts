/** Builds base segments in a thread, one after the other. */
import { siblingModule } from '../../../contract/sibling-module.ts'
import { AnsweringThread, STEPS } from './answering-thread.ts'
import type { BuildMessage, BuildThreadData, Built } from './build-thread.ts'
import { heapLimitMb } from './heap-limit.ts'

/** The last step of a build has no progress. */
const MAX_IDLE_CPU_MS = 300_000
/** A thread without work ends, and its memory is free. */
const IDLE_MS = 10_000

type BuildThread = AnsweringThread<BuildMessage, Built>

export class ColumnBuilder implements AsyncDisposable {
  readonly #data: BuildThreadData
  #last: Promise<unknown> = Promise.resolve()
  #thread: BuildThread | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #isClosed = false
  /** The type whose columns were built last. */
  #building: string | undefined

  constructor(data: BuildThreadData) {
    this.#data = data
  }

  /** Runs a job after all earlier ones. Rejects if it fails. */
  run(message: BuildMessage): Promise<Built> {
    if (this.#building === message.typeRid) this.#building = undefined
    const result = this.#last.then(() => this.#run(message))
    this.#last = result.catch(() => {})
    return result
  }

  /** Returns how many objects the columns of a type have so far. */
  builtObjects(typeRid: string): number {
    return this.#building === typeRid ? (this.#thread?.reported(STEPS) ?? 0) : 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#endThread()
  }

  async #run(message: BuildMessage): Promise<Built> {
    if (this.#isClosed) throw new Error('the builder is closed')
    clearTimeout(this.#idleTimer)
    if (this.#thread === undefined || this.#thread.hasEnded) this.#thread = this.#start()
    this.#building = message.typeRid
    try {
      return await this.#thread.ask(message)
    } finally {
      this.#idleTimer = setTimeout(() => void this.#endThread(), IDLE_MS)
      this.#idleTimer.unref()
    }
  }

  #start(): BuildThread {
    const module = siblingModule('build-thread', import.meta.url)
    const maxHeapMb = heapLimitMb(this.#data.maxBytes)
    return new AnsweringThread(module, this.#data, { maxHeapMb, maxIdleCpuMs: MAX_IDLE_CPU_MS })
  }

  async #endThread(): Promise<void> {
    clearTimeout(this.#idleTimer)
    const thread = this.#thread
    this.#thread = undefined
    await thread?.[Symbol.asyncDispose]()
  }
}
