/** Answers the questions of all workers: finds the columns, and lets a compute thread answer. */
import { FairQueue } from '../../../admission/fair-queue.ts'
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { PublishedColumns } from '../../port/column-load.ts'
import type { ColumnsStatus } from '../../port/maintenance.ts'
import { MAX_QUEUE_WAIT_MS, TOO_MANY_SLOW_QUERIES } from '../../slow-queries.ts'
import type { ColumnFeed } from '../feed/column-feed.ts'
import { DamagedFile } from '../segment/file-image.ts'
import type { SharedSegment, TableAt } from '../table/shared-segment.ts'
import type { TableColumns } from '../table/table-columns.ts'
import { typesOf } from './answer-question.ts'
import { ComputePool, type ComputeTask } from './compute-pool.ts'
import type { Computed } from './compute-thread.ts'
import { type Question, refusalOf, type Unavailable } from './messages.ts'
import { TypeColumns, type TypeColumnsOptions } from './type-columns.ts'

export interface DispatcherOptions
  extends Omit<TypeColumnsOptions, 'onClosed' | 'onRead' | 'onEvicted' | 'questionBytes'> {
  /** The number of compute threads. */
  readonly threads: number
}

/** How often a question starts again because its columns were dropped. */
const ATTEMPTS_MAX = 3
/** How often columns are evicted because the questions in progress take more. */
const TRIM_MS = 100

export class Dispatcher implements AsyncDisposable {
  readonly #feed: ColumnFeed
  readonly #pool: ComputePool
  readonly #queue: FairQueue
  readonly #columns: TypeColumns
  readonly #onFailure: (error: unknown) => void

  constructor(feed: ColumnFeed, { threads, ...options }: DispatcherOptions) {
    this.#feed = feed
    this.#onFailure = options.onFailure
    const { maxBytes } = options
    this.#pool = new ComputePool({ threads, maxBytes })
    this.#queue = new FairQueue({
      slots: threads,
      slotsPerCaller: Math.max(1, threads - 1),
      maxWaitMs: MAX_QUEUE_WAIT_MS,
      busyReason: TOO_MANY_SLOW_QUERIES,
      firstAverageMs: 10,
    })
    this.#columns = new TypeColumns(feed, {
      ...options,
      onClosed: (ids) => this.#pool.close(ids),
      onRead: (id, arrays) => this.#pool.addArrays(id, arrays),
      onEvicted: (arrays) => this.#pool.evict(arrays),
      questionBytes: () => this.#pool.heldBytes,
    })
  }

  findFiles(): Promise<readonly string[]> {
    return this.#columns.findFiles()
  }

  prepare(rids: readonly string[]): Promise<void> {
    return this.#columns.prepare(rids)
  }

  /** Takes over columns that were built during a load, and returns whether they can be used. */
  adopt(published: PublishedColumns): Promise<boolean> {
    return this.#columns.adopt(published).catch((error: unknown) => {
      this.#onFailure(error)
      return false
    })
  }

  /** Removes the file of columns that were built during a load, and that nobody adopts. */
  discard(name: string): void {
    this.#columns.discard(name)
  }

  status(): ColumnsStatus {
    return this.#columns.status()
  }

  async answer(question: Question, callerId: string, signal: AbortSignal): Promise<Computed> {
    try {
      for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts += 1) {
        const opened = await this.#open(question)
        if ('reason' in opened) return { unavailable: opened }
        const computed = await this.#queue.run({ callerId, signal }, () =>
          this.#compute(question, opened, signal),
        )
        if (computed !== 'dropped') return computed
      }
      return { unavailable: { reason: 'failed' } }
    } catch (error) {
      if (signal.aborted) return { unavailable: { reason: 'cancelled' } }
      if (error instanceof ObjectQueryError) return { refused: refusalOf(error) }
      this.#onFailure(error)
      return { unavailable: { reason: 'failed' } }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#queue.close('The store is closed.')
    await this.#columns[Symbol.asyncDispose]()
    await this.#pool[Symbol.asyncDispose]()
  }

  async #compute(
    question: Question,
    { columns, ...opened }: Opened,
    signal: AbortSignal,
  ): Promise<Computed | 'dropped'> {
    const trimming = setInterval(() => this.#columns.memory.trim(), TRIM_MS)
    try {
      return await this.#computeWith({ question, ...opened }, columns, signal)
    } finally {
      clearInterval(trimming)
      const retired = opened.segments.filter(({ id }) => !this.#columns.isCurrent(id))
      if (retired.length > 0) this.#pool.close(retired.map(({ id }) => id))
    }
  }

  /** Reads what a question needs of files, until it has been answered. */
  async #computeWith(
    task: ComputeTask,
    columns: Opened['columns'],
    signal: AbortSignal,
  ): Promise<Computed | 'dropped'> {
    const { memory } = this.#columns
    using pins = memory.pins()
    for (;;) {
      const { computed, used } = await this.#pool.run(task, signal)
      for (const [rid, parts] of used) {
        const { filed = [] } = columns.get(rid) ?? {}
        for (const part of parts) memory.use(pins, filed, part)
      }
      if (computed !== undefined) return computed
      try {
        if (!(await memory.read(pins, signal))) return { unavailable: { reason: 'tooLarge' } }
      } catch (error) {
        if (!(error instanceof DamagedFile)) throw error
        for (const one of columns.values()) this.#columns.dropDamaged(one, error)
        return 'dropped'
      }
    }
  }

  /** Returns the columns of all types of a question, as of one moment. */
  async #open(question: Question): Promise<Opened | Unavailable> {
    const types = [...typesOf(question)]
    const heads = await this.#feed.readHeads(types.map(([rid]) => rid))
    const columns = new Map<string, TableColumns>()
    const segments: SharedSegment[] = []
    const tables = new Map<string, TableAt>()
    for (const [index, [rid, { objectType, version }]] of types.entries()) {
      const head = heads[index]
      // The database decides what a request gets that names an old definition or a reclaimed version.
      if (head === undefined || (objectType.definedIn ?? Infinity) < head.generation) {
        return { reason: 'outdated' }
      }
      const { published, oldest, firstVersion } = head
      const wanted = version ?? published
      if (wanted < Math.max(oldest, firstVersion) || wanted > published)
        return { reason: 'outdated' }
      const found = await this.#columns.columnsAt(rid, head, wanted)
      if ('reason' in found) return found
      columns.set(rid, found)
      segments.push(...found.shared)
      tables.set(rid, found.at(wanted, head.liveCount))
    }
    return { columns, segments, tables }
  }
}

/** What a question needs, by the RID of the type. */
interface Opened {
  readonly columns: ReadonlyMap<string, TableColumns>
  readonly segments: readonly SharedSegment[]
  readonly tables: ReadonlyMap<string, TableAt>
}
