/** The compute threads: each answers one question at a time. */

import { siblingModule } from '../../../contract/sibling-module.ts'
import type { SharedSegment, TableAt } from '../table/shared-segment.ts'
import { AnsweringThread, type ThreadLimits } from './answering-thread.ts'
import type { Computed, ComputeMessage, ComputePlace } from './compute-thread.ts'
import type { Question } from './messages.ts'

/** A thread that needs more fails, and the database answers instead. */
const LIMITS: ThreadLimits = { maxHeapMb: 512, maxIdleCpuMs: 10_000 }
/**
 * Some steps look at the flag of cancelled questions too rarely. A thread that goes on for this long
 * is ended, so that every question stops within 50 ms.
 */
const STOP_MS = 30

export interface ComputeTask {
  readonly question: Question
  readonly tables: ReadonlyMap<string, TableAt>
  /** The segments of the tables. */
  readonly segments: readonly SharedSegment[]
}

export class ComputePool implements AsyncDisposable {
  readonly #limits: ThreadLimits
  readonly #cancelled: Int32Array
  readonly #threads: ComputeThread[]
  #lastId = 0

  constructor(size: number, limits = LIMITS) {
    this.#limits = limits
    this.#cancelled = new Int32Array(new SharedArrayBuffer(4 * size))
    this.#threads = Array.from({ length: size }, (_, place) => this.#start(place))
  }

  /** Answers a question on an idle thread; there must be one. */
  async run(task: ComputeTask, signal: AbortSignal): Promise<Computed> {
    if (signal.aborted) return { unavailable: { reason: 'cancelled' } }
    const thread = this.#idleThread()
    this.#lastId = (this.#lastId + 1) & 0x7fff_ffff
    const id = this.#lastId
    let timer: NodeJS.Timeout | undefined
    const cancel = () => {
      Atomics.store(this.#cancelled, thread.place, id)
      timer = setTimeout(() => this.#replace(thread), STOP_MS)
    }
    signal.addEventListener('abort', cancel)
    try {
      return await thread.run(id, task)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
    }
  }

  /** Frees the memory of segments in all threads. */
  close(ids: readonly number[]): void {
    for (const thread of this.#threads) thread.close(ids)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread[Symbol.asyncDispose]()))
  }

  #idleThread(): ComputeThread {
    const idle = this.#threads.find(({ isBusy }) => !isBusy)
    if (idle === undefined) throw new Error('all compute threads are busy')
    if (!idle.hasEnded) return idle
    const thread = this.#start(idle.place)
    this.#threads[idle.place] = thread
    return thread
  }

  /** Ends a thread, which rejects its question, and starts another one in its place. */
  #replace(thread: ComputeThread): void {
    void thread[Symbol.asyncDispose]()
    this.#threads[thread.place] = this.#start(thread.place)
  }

  #start(place: number): ComputeThread {
    return new ComputeThread({ cancelled: this.#cancelled, place }, this.#limits)
  }
}

class ComputeThread implements AsyncDisposable {
  readonly place: number
  readonly #thread: AnsweringThread<ComputeMessage, Computed>
  readonly #opened = new Set<number>()

  constructor(data: ComputePlace, limits: ThreadLimits) {
    this.place = data.place
    const module = siblingModule('compute-thread', import.meta.url)
    this.#thread = new AnsweringThread(module, data, limits)
  }

  get isBusy(): boolean {
    return this.#thread.isBusy
  }

  get hasEnded(): boolean {
    return this.#thread.hasEnded
  }

  run(id: number, { question, tables, segments }: ComputeTask): Promise<Computed> {
    const open = segments.filter((segment) => !this.#opened.has(segment.id))
    if (open.length > 0) {
      for (const segment of open) this.#opened.add(segment.id)
      this.#thread.tell({ open, close: [] })
    }
    return this.#thread.ask({ id, question, tables })
  }

  close(ids: readonly number[]): void {
    const close = ids.filter((id) => this.#opened.delete(id))
    if (close.length > 0) this.#thread.tell({ open: [], close })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]()
  }
}
