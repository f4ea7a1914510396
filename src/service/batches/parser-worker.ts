/** The main thread's side of a thread that parses batches. */
import { Worker } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import type { ErrorName } from '../../contract/error-catalogue.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { siblingModule } from '../../contract/sibling-module.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { OpenedBatch, ParsedBytes, ParserMessage, ParserReply } from './parser-messages.ts'
import type { ParserThreadData } from './parser-thread.ts'

/**
 * The properties of all object types that a thread keeps. A type is sent again after its definition
 * has changed.
 */
const KNOWN_PROPERTIES = 10_000
const LOST = 'The thread that read the batch ended, and nothing was written. Send the batch again.'

export interface ParsedBatch {
  readonly parse: (bytes: Uint8Array, isLast: boolean) => Promise<ParsedBytes>
  /** Drops the batch. Must be called once, whether it was read to its end or not. */
  readonly close: () => void
}

export class ParserThread {
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
    else waiting?.reject(errorOf(reply))
  }

  #abandon(error: Error): void {
    this.hasEnded = true
    for (const { reject } of this.#waiting.values()) reject(threadLost(error))
    this.#waiting.clear()
  }
}

function errorOf(reply: Exclude<ParserReply, { readonly parsed: ParsedBytes }>): Error {
  if ('failed' in reply) return Object.assign(new Error(), reply.failed)
  const { errorName, parameters } = reply.refused
  return new ObjectQueryError(errorName as ErrorName, { ...parameters })
}

function threadLost(cause?: Error): ObjectQueryError {
  return new ObjectQueryError('ServiceUnavailable', { reason: LOST }, { cause })
}
