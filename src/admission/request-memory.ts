/**
 * Counts the memory of work in progress: batches that are being written, responses that are not sent
 * yet. New work is refused while the budget is used up, so that the process does not run out of
 * memory. One caller gets at most half of the budget.
 */
import { ObjectQueryError } from '../contract/errors.ts'

/** The share of the budget that one caller may use. */
const CALLER_SHARE = 1 / 2

export class MemoryBudget {
  readonly #bytes: number
  readonly #shareBytes: number
  readonly #usedBy = new Map<string, number>()
  #used = 0

  constructor(bytes: number) {
    this.#bytes = bytes
    this.#shareBytes = bytes * CALLER_SHARE
  }

  get used(): number {
    return this.#used
  }

  /** Throws `ServiceUnavailable` if nothing is left for the caller. */
  refuseWhenFull(callerId: string): void {
    const isFull = this.#used >= this.#bytes || this.#usage(callerId) >= this.#shareBytes
    if (isFull) throw memoryExhausted()
  }

  /** Reserves memory before it is allocated. Throws if it does not fit, see `MemoryReservation`. */
  reserve(callerId: string, bytes: number): MemoryReservation {
    const reservation = new Reservation(
      (more) => this.#count(callerId, more),
      (more, held) => this.#refuse(callerId, more, held),
    )
    reservation.grow(bytes)
    return reservation
  }

  /** Counts memory that is already allocated, even beyond the budget. */
  hold(callerId: string, bytes: number): MemoryReservation {
    const reservation = new Reservation((more) => this.#count(callerId, more))
    reservation.grow(bytes)
    return reservation
  }

  #refuse(callerId: string, more: number, held: number): void {
    if (held + more > this.#shareBytes) {
      const reason =
        'The request needs more memory than one request may use. Send it in smaller parts.'
      throw new ObjectQueryError('Default:RequestEntityTooLarge', { reason })
    }
    const fits =
      this.#used + more <= this.#bytes && this.#usage(callerId) + more <= this.#shareBytes
    if (!fits) throw memoryExhausted()
  }

  #count(callerId: string, more: number): void {
    this.#used += more
    const usage = this.#usage(callerId) + more
    if (usage === 0) this.#usedBy.delete(callerId)
    else this.#usedBy.set(callerId, usage)
  }

  #usage(callerId: string): number {
    return this.#usedBy.get(callerId) ?? 0
  }
}

/** Bytes that are counted until they are released. Releasing them twice is harmless. */
export interface MemoryReservation extends Disposable {
  /**
   * Throws `ServiceUnavailable` if the bytes do not fit now, and `RequestEntityTooLarge` if they
   * never will.
   */
  readonly grow: (bytes: number) => void
  readonly shrink: (bytes: number) => void
  readonly release: () => void
}

class Reservation implements MemoryReservation {
  readonly #count: (bytes: number) => void
  readonly #refuse: (more: number, held: number) => void
  #bytes = 0

  constructor(
    count: (bytes: number) => void,
    refuse: (more: number, held: number) => void = () => {},
  ) {
    this.#count = count
    this.#refuse = refuse
  }

  grow(bytes: number): void {
    this.#refuse(bytes, this.#bytes)
    this.#count(bytes)
    this.#bytes += bytes
  }

  /** Releases a part, or all if it is less. */
  shrink(bytes: number): void {
    const less = Math.min(bytes, this.#bytes)
    this.#bytes -= less
    if (less > 0) this.#count(-less)
  }

  release(): void {
    this.shrink(this.#bytes)
  }

  [Symbol.dispose](): void {
    this.release()
  }
}

function memoryExhausted(): ObjectQueryError {
  return new ObjectQueryError('ServiceUnavailable', {
    reason: 'The memory for requests in progress is used up. Try again later.',
  })
}
