/**
 * The threads that parse large batches, so that they do not delay other requests on the main thread.
 * Each batch stays on one thread. Its bytes wait in a fair queue, so that a caller with many batches
 * does not keep the threads from others.
 */
import { availableParallelism } from 'node:os'
import { FairQueue, type TaskOwner } from '../../admission/fair-queue.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { ChangeEncoding } from '../../store/object-store.ts'
import type { ParsedBytes } from './parser-messages.ts'
import { ParserThread } from './parser-worker.ts'

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
