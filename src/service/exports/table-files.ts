/** Files with a table, which threads of their own write. They start with the first file that needs them. */
import { Worker } from 'node:worker_threads'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { ExportFormat, LineFormat } from '../../contract/export-formats.ts'
import { siblingModule } from '../../contract/sibling-module.ts'
import type { TableSpec } from '../../formats/table-file.ts'
import { receivedError, type SentError } from '../thread-errors.ts'
import type { CheckOptions } from './check-records.ts'

export type TableFormat = Exclude<ExportFormat, LineFormat>

export interface OpenedTable {
  readonly format: TableFormat
  readonly table: TableSpec
  /** Whether another thread has written the beginning of the file. */
  readonly isBegun: boolean
}

/** Records with their checksums, see `CHECKED_RECORD`. */
export interface CheckedChunk {
  readonly records: Uint8Array
  readonly check: CheckOptions
}

/** A chunk in memory of its own, which can be moved to the thread. */
interface MovableChunk extends CheckedChunk {
  readonly records: Uint8Array<ArrayBuffer>
}

export interface WriteMessage {
  readonly id: number
  /** With the first message only. */
  readonly opened?: OpenedTable
  /** Undefined for the end of the file. */
  readonly chunk: MovableChunk | undefined
}

export type TableMessage =
  | WriteMessage
  /** Drops a file, whether it was written to its end or not. */
  | { readonly closed: number }

export type TableReply = { readonly bytes: Uint8Array } | SentError

interface OpenTableFile {
  /** Adds records, which are moved to the thread; without a chunk, ends the file. Returns its next bytes. */
  readonly write: (chunk?: MovableChunk) => Promise<Uint8Array>
  readonly close: () => void
}

const LOST = 'The thread that wrote the file ended. Export again.'

class TableThread {
  hasEnded = false
  readonly #worker = new Worker(siblingModule('table-thread', import.meta.url))
  /** The thread answers messages in their order. */
  #waiting: PromiseWithResolvers<Uint8Array>[] = []

  constructor() {
    this.#worker.unref()
    this.#worker.on('message', (reply: TableReply) => this.#receive(reply))
    this.#worker.on('error', (error) => this.#abandon(error))
    this.#worker.on('exit', () => this.#abandon(new Error('the thread of files ended')))
  }

  ask(message: WriteMessage): Promise<Uint8Array> {
    const waiting = Promise.withResolvers<Uint8Array>()
    this.#waiting.push(waiting)
    if (this.hasEnded) this.#abandon(new Error('the thread of files has ended'))
    else this.tell(message, message.chunk?.records.buffer)
    return waiting.promise
  }

  tell(message: TableMessage, moved?: ArrayBuffer): void {
    if (!this.hasEnded) this.#worker.postMessage(message, moved === undefined ? [] : [moved])
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #receive(reply: TableReply): void {
    const waiting = this.#waiting.shift()
    if ('bytes' in reply) waiting?.resolve(reply.bytes)
    else waiting?.reject(receivedError(reply))
  }

  #abandon(cause: Error): void {
    this.hasEnded = true
    for (const { reject } of this.#waiting) {
      reject(new ObjectQueryError('ServiceUnavailable', { reason: LOST }, { cause }))
    }
    this.#waiting = []
  }
}

/**
 * The threads that write a file. Pieces of Arrow do not depend on each other, and converting them takes
 * twice as long as reading them.
 */
const THREADS: Readonly<Record<TableFormat, number>> = { arrow: 2, parquet: 1, xlsx: 1 }

export class TableFiles implements AsyncDisposable {
  readonly #threads: TableThread[] = []
  #lastId = 0

  open(table: Omit<OpenedTable, 'isBegun'>): OpenTableFile {
    this.#lastId += 1
    const id = this.#lastId
    const threads: TableThread[] = []
    let next = 0
    let isClosed = false
    return {
      write: async (chunk) => {
        // A chunk may arrive after its client has left. Nobody would close the file that it opens.
        if (isClosed) throw new Error('the file is closed')
        // The thread that has begun a file also ends it.
        const index = chunk === undefined ? 0 : next
        next = (index + 1) % THREADS[table.format]
        const begun = threads[index]
        if (begun !== undefined) return begun.ask({ id, chunk })
        const thread = this.#thread(index)
        threads[index] = thread
        return thread.ask({ id, opened: { ...table, isBegun: index > 0 }, chunk })
      },
      close: () => {
        isClosed = true
        for (const thread of threads) thread.tell({ closed: id })
      },
    }
  }

  #thread(index: number): TableThread {
    const running = this.#threads[index]
    if (running !== undefined && !running.hasEnded) return running
    const thread = new TableThread()
    this.#threads[index] = thread
    return thread
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()))
  }
}
