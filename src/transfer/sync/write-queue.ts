/** Transactions that wait for the request under way, and are written with the next one. */
import type { TransactionWriter, WaitingTransaction } from './transaction-writer.ts'

export interface QueuedTransaction extends WaitingTransaction {
  /** When the source committed it. */
  readonly atMs?: number
}

/** How much may wait: enough to fill several requests. Then the source has to wait. */
const MAX_WAITING = 5000
const MAX_CHARACTERS = 16 * 1024 * 1024

export class WriteQueue {
  readonly #writer: TransactionWriter
  readonly #onWritten: (written: readonly QueuedTransaction[]) => void
  readonly #failure = new AbortController()
  #waiting: QueuedTransaction[] = []
  #characters = 0
  #writing: Promise<void> | undefined
  #isEnded = false

  constructor(
    writer: TransactionWriter,
    onWritten: (written: readonly QueuedTransaction[]) => void,
  ) {
    this.#writer = writer
    this.#onWritten = onWritten
  }

  /** Aborted when a transaction could not be written. */
  get failed(): AbortSignal {
    return this.#failure.signal
  }

  /** Resolves when there is room for another transaction. */
  async add(one: QueuedTransaction): Promise<void> {
    this.#waiting.push(one)
    this.#characters += one.transaction?.characters ?? 0
    this.#writing ??= this.#writeAll()
    while (this.#writing !== undefined && this.#isFull()) await this.#writing
  }

  /** Waits for the request under way. Throws if a transaction could not be written. */
  async end(): Promise<void> {
    this.#isEnded = true
    await this.#writing
    this.failed.throwIfAborted()
  }

  #isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING || this.#characters >= MAX_CHARACTERS
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0 && !this.#isEnded) {
        // Lets all messages that have arrived join the request.
        await new Promise(setImmediate)
        const count = await this.#writer.write(this.#waiting)
        const written = this.#waiting.splice(0, count)
        for (const { transaction } of written) this.#characters -= transaction?.characters ?? 0
        this.#onWritten(written)
      }
    } catch (error) {
      this.#failure.abort(error)
    } finally {
      this.#writing = undefined
    }
  }
}
