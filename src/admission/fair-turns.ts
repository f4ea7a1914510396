/**
 * Shares the main thread between callers. Node runs every request that it has received before it
 * polls the sockets again, so a burst of one caller delays all others. In each iteration of the
 * event loop every caller gets one turn immediately, and further turns while the iteration is short.
 * Other requests wait, and callers alternate in the iterations that follow.
 *
 * Each iteration costs as much as a part of a small request, so they are longer while there is only
 * one caller.
 */

/** After this much work in one round, only the first turn of a caller is granted immediately. */
const ROUND_MS = 0.25
/** The same while only one caller is active. A request of a second caller may wait this long. */
const LONE_ROUND_MS = 1
const LONE_AFTER_MS = 1000
/** The maximum number of waiting turns that are granted in one round. */
const TURNS_PER_ROUND = 8

export interface FairTurnsOptions {
  readonly now?: () => number
  /** Schedules a callback for the next iteration of the event loop, after it has polled for I/O. */
  readonly nextRound?: (callback: () => void) => void
}

export class FairTurns {
  readonly #now: () => number
  readonly #nextRound: (callback: () => void) => void
  /** In the order of service; a caller moves to the end after its turn. */
  readonly #waiting = new Map<string, (() => void)[]>()
  /** Callers that had a turn in this round. */
  readonly #served = new Set<string>()
  #lastCaller: string | undefined
  /** When a turn was last taken by another caller than the one before it. */
  #alternatedAt = Number.NEGATIVE_INFINITY
  #roundStart: number | undefined
  #round = 0

  constructor({ now = () => performance.now(), nextRound = setImmediate }: FairTurnsOptions = {}) {
    this.#now = now
    this.#nextRound = nextRound
  }

  /** The number of the current round. Work that continues in the same round needs no other turn. */
  get round(): number {
    return this.#round
  }

  /** Returns undefined if the work may start now, otherwise a promise that it must wait for. */
  take(callerId: string): Promise<void> | undefined {
    const now = this.#now()
    if (this.#roundStart === undefined) {
      this.#roundStart = now
      this.#nextRound(() => this.#endRound())
    }
    if (callerId !== this.#lastCaller) {
      if (this.#lastCaller !== undefined) this.#alternatedAt = now
      this.#lastCaller = callerId
    }
    const queue = this.#waiting.get(callerId)
    const isFirst = queue === undefined && !this.#served.has(callerId)
    if (isFirst || (this.#waiting.size === 0 && now - this.#roundStart < this.#roundMs(now))) {
      this.#served.add(callerId)
      return undefined
    }
    return new Promise((resolve) => {
      if (queue === undefined) this.#waiting.set(callerId, [resolve])
      else queue.push(resolve)
    })
  }

  #endRound(): void {
    this.#round += 1
    this.#served.clear()
    if (this.#waiting.size === 0) {
      this.#roundStart = undefined
      return
    }
    // Each turn gets its own callback, because the work that it starts runs when the callback returns.
    for (let turn = 0; turn < TURNS_PER_ROUND; turn += 1) {
      this.#nextRound(() => this.#grantTurn(turn === 0))
    }
    this.#nextRound(() => this.#endRound())
  }

  #grantTurn(isFirst: boolean): void {
    const now = this.#now()
    // Every round grants at least one turn, even if polling the sockets took long.
    if (isFirst) this.#roundStart = now
    else if (now - (this.#roundStart ?? now) >= this.#roundMs(now)) return
    const [next] = this.#waiting
    if (next === undefined) return
    const [callerId, queue] = next
    this.#waiting.delete(callerId)
    this.#served.add(callerId)
    queue.shift()?.()
    if (queue.length > 0) this.#waiting.set(callerId, queue)
  }

  /** True if more than one caller has taken turns lately. */
  isShared(now = this.#now()): boolean {
    return now - this.#alternatedAt < LONE_AFTER_MS
  }

  #roundMs(now: number): number {
    return this.isShared(now) ? ROUND_MS : LONE_ROUND_MS
  }
}
