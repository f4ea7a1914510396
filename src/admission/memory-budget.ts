/**
 * Counts the memory of work in progress: batches that are being read, pages that are not sent yet.
 * New work is refused while the budget is used up, so that the process is never killed for memory.
 */
import { ObjectQueryError } from '../contract/errors.ts'

export class MemoryBudget {
  readonly #bytes: number
  #used = 0

  constructor(bytes: number) {
    this.#bytes = bytes
  }

  get used(): number {
    return this.#used
  }

  /** Throws `ServiceUnavailable` when the bytes do not fit. */
  reserve(bytes: number): MemoryReservation {
    const reservation = new Reservation((more) => this.#take(more))
    reservation.grow(bytes)
    return reservation
  }

  /** Counts bytes that are already there, whatever is left. Refuses nothing. */
  hold(bytes: number): MemoryReservation {
    const reservation = new Reservation((more) => {
      this.#used += more
    })
    reservation.grow(bytes)
    return reservation
  }

  /** Throws `ServiceUnavailable` when nothing is left. */
  refuseWhenFull(): void {
    if (this.#used >= this.#bytes) throw memoryExhausted()
  }

  #take(bytes: number): void {
    if (this.#used + bytes > this.#bytes) throw memoryExhausted()
    this.#used += bytes
  }
}

/** Bytes that are counted until they are released, which may happen more than once. */
export interface MemoryReservation extends Disposable {
  readonly grow: (bytes: number) => void
  readonly release: () => void
}

class Reservation implements MemoryReservation {
  readonly #take: (bytes: number) => void
  #bytes = 0

  constructor(take: (bytes: number) => void) {
    this.#take = take
  }

  grow(bytes: number): void {
    this.#take(bytes)
    this.#bytes += bytes
  }

  release(): void {
    const bytes = this.#bytes
    this.#bytes = 0
    if (bytes > 0) this.#take(-bytes)
  }

  [Symbol.dispose](): void {
    this.release()
  }
}

function memoryExhausted(): ObjectQueryError {
  return new ObjectQueryError('ServiceUnavailable', {
    reason: 'The memory for requests in progress is used up.',
  })
}
