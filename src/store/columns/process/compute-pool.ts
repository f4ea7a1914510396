/** The compute threads: each answers one question at a time. */

import { siblingModule } from '../../../contract/sibling-module.ts'
import type { SharedSegment, TableAt } from '../table/shared-segment.ts'
import { AnsweringThread, HELD_KB, type ThreadLimits } from './answering-thread.ts'
import type {
  ComputeMessage,
  ComputePlace,
  ComputeReply,
  EvictedArray,
  SegmentChange,
} from './compute-thread.ts'
import type { Question } from './messages.ts'
import { maxQuestionBytes } from './question-memory.ts'

const MAX_IDLE_CPU_MS = 10_000
/** The heap of a thread that has nothing to do, and the most for objects, which take time to collect. */
const IDLE_HEAP_MB = 24
const MAX_HEAP_MB = 512
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

export interface ComputePoolOptions {
  readonly threads: number
  /** The memory for columns. */
  readonly maxBytes: number
  readonly maxIdleCpuMs?: number
}

const CANCELLED: ComputeReply = {
  computed: { unavailable: { reason: 'cancelled' } },
  used: new Map(),
}

export class ComputePool implements AsyncDisposable {
  readonly #limits: ThreadLimits
  readonly #memory: Pick<ComputePlace, 'maxBytes' | 'maxQuestionBytes'>
  readonly #cancelled: Int32Array
  readonly #threads: ComputeThread[]
  #lastId = 0

  constructor({ threads, maxBytes, maxIdleCpuMs = MAX_IDLE_CPU_MS }: ComputePoolOptions) {
    this.#memory = { maxBytes, maxQuestionBytes: maxQuestionBytes(maxBytes, threads) }
    // A thread that needs more fails, and the database answers instead.
    const questionMb = this.#memory.maxQuestionBytes / 1024 ** 2
    const maxHeapMb = Math.min(MAX_HEAP_MB, IDLE_HEAP_MB + questionMb)
    this.#limits = { maxHeapMb, maxIdleCpuMs }
    this.#cancelled = new Int32Array(new SharedArrayBuffer(4 * threads))
    this.#threads = Array.from({ length: threads }, (_, place) => this.#start(place))
  }

  /** What questions take besides columns. */
  get heldBytes(): number {
    return this.#threads.reduce((sum, { heldBytes }) => sum + heldBytes, 0)
  }

  /** Answers a question on an idle thread; there must be one. */
  async run(task: ComputeTask, signal: AbortSignal): Promise<ComputeReply> {
    if (signal.aborted) return CANCELLED
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

  /** Gives arrays that were read to the threads that have opened their segment. */
  addArrays(id: number, arrays: ReadonlyMap<number, SharedArrayBuffer>): void {
    for (const thread of this.#threads) thread.addArrays(id, arrays)
  }

  evict(arrays: readonly EvictedArray[]): void {
    for (const thread of this.#threads) thread.evict(arrays)
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
    return new ComputeThread({ cancelled: this.#cancelled, place, ...this.#memory }, this.#limits)
  }
}

class ComputeThread implements AsyncDisposable {
  readonly place: number
  readonly #thread: AnsweringThread<ComputeMessage, ComputeReply>
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

  get heldBytes(): number {
    return this.#thread.reported(HELD_KB) * 1024
  }

  run(id: number, { question, tables, segments }: ComputeTask): Promise<ComputeReply> {
    const open = segments.filter((segment) => !this.#opened.has(segment.id))
    for (const segment of open) this.#opened.add(segment.id)
    if (open.length > 0) this.#change({ open })
    return this.#thread.ask({ id, question, tables })
  }

  close(ids: readonly number[]): void {
    const close = ids.filter((id) => this.#opened.delete(id))
    if (close.length > 0) this.#change({ close })
  }

  addArrays(id: number, arrays: ReadonlyMap<number, SharedArrayBuffer>): void {
    if (this.#opened.has(id)) this.#change({ read: { id, arrays } })
  }

  evict(arrays: readonly EvictedArray[]): void {
    const evicted = arrays.filter(({ id }) => this.#opened.has(id))
    if (evicted.length > 0) this.#change({ evicted })
  }

  #change(change: SegmentChange): void {
    this.#thread.tell(change)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]()
  }
}
