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
import type { ChangeEncoding } from '../../store/object-store.ts'
import { receivedError } from '../thread-errors.ts'
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
  readonly #waiting = new Map<number, PromiseWithResolvers<ParsedBytes>>()
  readonly #types: LRUCache<ObjectType, number>
  #evicted: number[] = []
  #openBatches = 0
  #lastBatch = 0
  #lastType = 0

  constructor(encoderModule: string) {
    const workerData: ParserThreadData = { encoderModule }
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

  open(objectType: ObjectType, encoding: OpenedBatch['encoding']): ParsedBatch {
    this.#lastBatch += 1
    const batch = this.#lastBatch
    let isOpened = false
    // Keeps the process alive while the thread has a batch.
    if (this.#openBatches === 0) this.#worker.ref()
    this.#openBatches += 1
    return {
      parse: (bytes, isLast) => {
        const opened = isOpened ? {} : { opened: this.#openedBatch(objectType, encoding) }
        isOpened = true
        return this.#ask(batch, { batch, ...opened, bytes, isLast }, bytes.buffer as ArrayBuffer)
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

  #openedBatch(objectType: ObjectType, encoding: OpenedBatch['encoding']): OpenedBatch {
    const known = this.#types.get(objectType)
    if (known !== undefined) {
      return { type: known, objectType: undefined, evicted: this.#takeEvicted(), encoding }
    }
    this.#lastType += 1
    const type = this.#lastType
    this.#types.set(objectType, type)
    return { type, objectType, evicted: this.#takeEvicted(), encoding }
  }

  #takeEvicted(): readonly number[] {
    const evicted = this.#evicted
    this.#evicted = []
    return evicted
  }

  #ask(batch: number, message: ParserMessage, buffer: ArrayBuffer): Promise<ParsedBytes> {
    if (this.hasEnded) throw threadLost()
    const reply = Promise.withResolvers<ParsedBytes>()
    this.#waiting.set(batch, reply)
    this.#post(message, buffer)
    return reply.promise
  }

  #post(message: ParserMessage, ...transfer: readonly ArrayBuffer[]): void {
    this.#worker.postMessage(message, transfer)
  }

  #receive(reply: ParserReply): void {
    const waiting = this.#waiting.get(reply.batch)
    this.#waiting.delete(reply.batch)
    if ('parsed' in reply) waiting?.resolve(reply.parsed)
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

export class BatchParsers implements AsyncDisposable {
  readonly #encoding: ChangeEncoding
  readonly #slots: readonly Slot[]

  constructor(encoding: ChangeEncoding, threads = THREADS) {
    this.#encoding = encoding
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

  /** Opens a batch on the thread with the fewest batches. If `isDryRun`, changes are only checked. */
  async open(objectType: ObjectType, owner: TaskOwner, isDryRun: boolean): Promise<OpenBatch> {
    const encoding = isDryRun ? undefined : { options: await this.#encoding.optionsFor(objectType) }
    const slot = this.#slots.reduce((least, other) =>
      other.openBatches < least.openBatches ? other : least,
    )
    if (slot.thread === undefined || slot.thread.hasEnded) {
      slot.thread = new ParserThread(this.#encoding.module)
    }
    slot.openBatches += 1
    const batch = slot.thread.open(objectType, encoding)
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
