/**
 * The threads that parse large batches, so that they do not delay other requests on the main thread.
 * Each batch stays on one thread. Its bytes wait in a fair queue, so that a caller with many batches
 * does not keep the threads from others.
 */

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import { FairQueue, type TaskOwner } from '../../admission/fair-queue.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { siblingModule } from '../../contract/sibling-module.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { Creation } from '../../ontology/values/read-object.ts'
import type { ChangeEncoding, ColumnLoading, LoadedColumns } from '../../store/object-store.ts'
import { receivedError } from '../thread-errors.ts'
import { ColumnLoads, type LoadBatch } from './column-loads.ts'
import type { OpenedBatch, ParsedBytes, ParserMessage, ParserReply } from './parser-messages.ts'
import type { ParserThreadData } from './parser-thread.ts'

/**
 * The properties of all object types that a thread keeps. A type is sent again after its definition
 * has changed.
 */
const KNOWN_PROPERTIES = 10_000
const LOST = 'The thread that read the batch ended, and nothing was written. Send the batch again.'

interface ParsedBatch {
  readonly parse: (bytes: Uint8Array, isLast: boolean) => Promise<ParsedBytes>
  /** Drops the batch. Must be called once, whether it was read to its end or not. */
  readonly close: () => void
}

class ParserThread {
  hasEnded = false
  readonly #worker: Worker
  /** The batches that wait for the reply to their last message. */
  readonly #waiting = new Map<number, PromiseWithResolvers<ParserReply>>()
  readonly #types: LRUCache<ObjectType, number>
  #evicted: number[] = []
  #openBatches = 0
  #lastBatch = 0
  #lastType = 0

  constructor(workerData: ParserThreadData) {
    this.#worker = new Worker(siblingModule('parser-thread', import.meta.url), { workerData })
    this.#worker.on('message', (reply: ParserReply) => this.#receive(reply))
    this.#worker.on('error', (error) => this.#abandon(error))
    this.#worker.on('exit', () => this.#abandon(new Error('the parser thread ended')))
    this.#worker.unref()
    this.#types = new LRUCache({
      maxSize: KNOWN_PROPERTIES,
      sizeCalculation: (_number, { properties }) => 10 + properties.size,
      dispose: (type) => this.#evicted.push(type),
    })
  }

  open(
    objectType: ObjectType,
    options: Pick<OpenedBatch, 'creation' | 'encoding' | 'load'>,
  ): ParsedBatch {
    this.#lastBatch += 1
    const batch = this.#lastBatch
    let isOpened = false
    // Keeps the process alive while the thread has a batch.
    if (this.#openBatches === 0) this.#worker.ref()
    this.#openBatches += 1
    return {
      parse: async (bytes, isLast) => {
        const opened = isOpened ? {} : { opened: { ...this.#openedType(objectType), ...options } }
        isOpened = true
        const message = { batch, ...opened, bytes, isLast }
        const reply = await this.#ask(batch, message, bytes.buffer as ArrayBuffer)
        if ('parsed' in reply) return reply.parsed
        throw new Error('the parser thread sent no parsed bytes')
      },
      close: () => {
        if (isOpened && !this.hasEnded) this.#post({ closed: batch })
        this.#openBatches -= 1
        if (this.#openBatches === 0) this.#worker.unref()
      },
    }
  }

  /** Ends the thread after the messages that were sent. */
  async end(): Promise<void> {
    if (this.hasEnded) return
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve))
    this.#worker.ref()
    this.#post('end')
    await ended
  }

  /** Completes the columns of a load, or drops them. */
  async endLoad(ended: string, isDropped: boolean): Promise<LoadedColumns | undefined> {
    this.#lastBatch += 1
    const batch = this.#lastBatch
    const reply = await this.#ask(batch, { batch, ended, isDropped })
    return 'loaded' in reply ? reply.loaded : undefined
  }

  #openedType(objectType: ObjectType): Pick<OpenedBatch, 'type' | 'objectType' | 'evicted'> {
    const known = this.#types.get(objectType)
    if (known !== undefined) {
      return { type: known, objectType: undefined, evicted: this.#takeEvicted() }
    }
    this.#lastType += 1
    const type = this.#lastType
    this.#types.set(objectType, type)
    return { type, objectType, evicted: this.#takeEvicted() }
  }

  #takeEvicted(): readonly number[] {
    const evicted = this.#evicted
    this.#evicted = []
    return evicted
  }

  #ask(
    batch: number,
    message: ParserMessage,
    ...transfer: readonly ArrayBuffer[]
  ): Promise<ParserReply> {
    if (this.hasEnded) throw threadLost()
    const reply = Promise.withResolvers<ParserReply>()
    this.#waiting.set(batch, reply)
    this.#post(message, ...transfer)
    return reply.promise
  }

  #post(message: ParserMessage, ...transfer: readonly ArrayBuffer[]): void {
    this.#worker.postMessage(message, transfer)
  }

  #receive(reply: ParserReply): void {
    const waiting = this.#waiting.get(reply.batch)
    this.#waiting.delete(reply.batch)
    if ('parsed' in reply || 'loaded' in reply) waiting?.resolve(reply)
    else waiting?.reject(receivedError(reply))
  }

  #abandon(error: Error): void {
    this.hasEnded = true
    for (const { reject } of this.#waiting.values()) reject(threadLost(error))
    this.#waiting.clear()
  }
}

function threadLost(cause?: Error): ObjectQueryError {
  return new ObjectQueryError('ServiceUnavailable', { reason: LOST }, { cause })
}

/** Leaves a core to the main thread. A store writes no faster than a few threads parse. */
const THREADS = Math.max(1, Math.min(4, availableParallelism() - 1))
/** One message runs and one is ready, so that a thread does not wait for the main thread. */
const MESSAGES_PER_THREAD = 2
/** Shorter than the time after which a connection is considered stalled. */
const MAX_WAIT_MS = 20_000

interface Slot {
  thread: ParserThread | undefined
  readonly queue: FairQueue
  openBatches: number
}

export interface OpenBatch extends Disposable {
  /** Parses the next bytes, which are moved to the thread. */
  readonly parse: (bytes: Uint8Array, isLast: boolean) => Promise<ParsedBytes>
}

export interface BatchOptions {
  readonly creation: Creation
  /** Whether changes are only checked. */
  readonly isDryRun: boolean
  /** The load to which the batch belongs, if its columns are built. */
  readonly load?: BatchOfLoad | undefined
}

/** A batch of a load, which must be ended once it was committed or has failed. */
export type BatchOfLoad = LoadBatch<Slot> & { readonly replacement: string }

export interface BatchParsersOptions {
  readonly threads?: number
  /** How columns are built during loads; undefined if they are turned off. */
  readonly columns?: ColumnLoading | undefined
  /** Called when a batch of a load begins, so that the process that will hold its columns can start. */
  readonly onLoad?: () => void
}

export class BatchParsers implements AsyncDisposable {
  readonly #encoding: ChangeEncoding
  readonly #columns: ColumnLoading | undefined
  readonly #onLoad: () => void
  readonly #slots: readonly Slot[]
  readonly #loads = new ColumnLoads<Slot>((replacement, slot) => {
    slot.thread?.endLoad(replacement, true).catch(() => {})
  })

  constructor(
    encoding: ChangeEncoding,
    { threads = THREADS, columns, onLoad = () => {} }: BatchParsersOptions = {},
  ) {
    this.#encoding = encoding
    this.#columns = columns
    this.#onLoad = onLoad
    this.#slots = Array.from({ length: threads }, () => ({
      thread: undefined,
      queue: new FairQueue({
        slots: MESSAGES_PER_THREAD,
        slotsPerCaller: MESSAGES_PER_THREAD,
        maxWaitMs: MAX_WAIT_MS,
        busyReason: 'Too many batches are being read.',
      }),
      openBatches: 0,
    }))
  }

  /** Notes that a batch is added to a replacement. Returns undefined if no columns are built of it. */
  beginLoad(replacement: string): BatchOfLoad | undefined {
    if (this.#columns === undefined) return undefined
    this.#onLoad()
    const batch = this.#loads.begin(replacement, () => this.#idlestSlot())
    return batch && { ...batch, replacement }
  }

  /** Completes the columns of a replacement; undefined if they have to be built later. */
  async finishLoad(replacement: string): Promise<LoadedColumns | undefined> {
    const slot = this.#loads.take(replacement)
    return await slot?.thread?.endLoad(replacement, false).catch(() => undefined)
  }

  /** Drops the columns of a replacement that is not published. */
  dropLoad(replacement: string): void {
    this.#loads.drop(replacement)
  }

  #idlestSlot(): Slot {
    return this.#slots.reduce((least, other) =>
      other.openBatches < least.openBatches ? other : least,
    )
  }

  /** Opens a batch on the thread with the fewest batches, or on that of its load. */
  async open(
    objectType: ObjectType,
    owner: TaskOwner,
    { isDryRun, load, creation }: BatchOptions,
  ): Promise<OpenBatch> {
    const encoding = isDryRun ? undefined : { options: await this.#encoding.optionsFor(objectType) }
    const slot = load?.slot ?? this.#idlestSlot()
    if (slot.thread === undefined || slot.thread.hasEnded) {
      slot.thread = new ParserThread({
        encoderModule: this.#encoding.module,
        columns: this.#columns,
      })
    }
    slot.openBatches += 1
    // The thread makes random names of its own.
    const { newUuid: _, ...facts } = creation
    const opened = { creation: facts, encoding, load: load?.replacement }
    const batch = slot.thread.open(objectType, opened)
    return {
      parse: (bytes, isLast) => slot.queue.run(owner, () => batch.parse(bytes, isLast)),
      [Symbol.dispose]: () => {
        slot.openBatches -= 1
        batch.close()
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#slots.map(({ thread }) => thread?.end()))
  }
}
