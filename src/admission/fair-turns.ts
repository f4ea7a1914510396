/**
 * Shares the main thread between callers. Many requests that arrive together would run one after the
 * other before the event loop looks at a socket again, and the request of another caller would wait
 * for all of them. So in each round of the event loop every caller has one turn at once, and more of
 * them for as long as the round is short. The rest waits, and callers take turns in the rounds that
 * follow.
 */

/** Milliseconds of work in one round of the event loop; then only first turns are granted at once. */
const ROUND_MS = 0.25
/** Waiting turns that are granted in one round, if it is not too long before. */
const TURNS_PER_ROUND = 8

export interface FairTurnsOptions {
  readonly now?: () => number
  /** Calls back after the event loop has looked for input. */
  readonly nextRound?: (callback: () => void) => void
}

export class FairTurns {
  readonly #now: () => number
  readonly #nextRound: (callback: () => void) => void
  /** In the order in which callers are served; a caller goes to the end after its turn. */
  readonly #waiting = new Map<string, (() => void)[]>()
  /** Callers that had a turn in this round. */
  readonly #served = new Set<string>()
  #roundStart: number | undefined

  constructor({ now = () => performance.now(), nextRound = setImmediate }: FairTurnsOptions = {}) {
    this.#now = now
    this.#nextRound = nextRound
  }

  /** Undefined: go ahead now. Otherwise the work must wait for the promise. */
  take(callerId: string): Promise<void> | undefined {
    const now = this.#now()
    if (this.#roundStart === undefined) {
      this.#roundStart = now
      this.#nextRound(() => this.#endRound())
    }
    const queue = this.#waiting.get(callerId)
    const isFirst = queue === undefined && !this.#served.has(callerId)
    if (isFirst || (this.#waiting.size === 0 && now - this.#roundStart < ROUND_MS)) {
      this.#served.add(callerId)
      return undefined
    }
    return new Promise((resolve) => {
      if (queue === undefined) this.#waiting.set(callerId, [resolve])
      else queue.push(resolve)
    })
  }

  #endRound(): void {
    this.#served.clear()
    if (this.#waiting.size === 0) {
      this.#roundStart = undefined
      return
    }
    // Each turn has a callback of its own: the work that it starts runs when the callback returns.
    for (let turn = 0; turn < TURNS_PER_ROUND; turn += 1) {
      this.#nextRound(() => this.#grantTurn(turn === 0))
    }
    this.#nextRound(() => this.#endRound())
  }

  #grantTurn(isFirst: boolean): void {
    const now = this.#now()
    // Every round grants one turn at least, however long reading the sockets took.
    if (isFirst) this.#roundStart = now
    else if (now - (this.#roundStart ?? now) >= ROUND_MS) return
    const [next] = this.#waiting
    if (next === undefined) return
    const [callerId, queue] = next
    this.#waiting.delete(callerId)
    this.#served.add(callerId)
    queue.shift()?.()
    if (queue.length > 0) this.#waiting.set(callerId, queue)
  }
}
