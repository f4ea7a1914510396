/**
 * Shares the main thread between callers. Many requests that arrive together would run one after the
 * other before the event loop looks at a socket again, and the request of another caller would wait
 * for all of them. So after a short stretch of work the rest waits in a queue for each caller, and
 * callers take turns, with a round of the event loop in between.
 */

/** Milliseconds of work between two rounds of the event loop. */
const STRETCH_MS = 2
/** Turns that are granted in one round, if the stretch is not over before. */
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
  #stretchStart: number | undefined

  constructor({ now = () => performance.now(), nextRound = setImmediate }: FairTurnsOptions = {}) {
    this.#now = now
    this.#nextRound = nextRound
  }

  /** Undefined: go ahead now. Otherwise the work must wait for the promise. */
  take(callerId: string): Promise<void> | undefined {
    const now = this.#now()
    if (this.#stretchStart === undefined) {
      this.#stretchStart = now
      this.#nextRound(() => this.#startRound())
    }
    if (this.#waiting.size === 0 && now - this.#stretchStart < STRETCH_MS) return undefined
    return new Promise((resolve) => {
      const queue = this.#waiting.get(callerId)
      if (queue === undefined) this.#waiting.set(callerId, [resolve])
      else queue.push(resolve)
    })
  }

  #startRound(): void {
    if (this.#waiting.size === 0) {
      this.#stretchStart = undefined
      return
    }
    // Each turn has a callback of its own: the work that it starts runs when the callback returns.
    for (let turn = 0; turn < TURNS_PER_ROUND; turn += 1) {
      this.#nextRound(() => this.#grantTurn(turn === 0))
    }
    this.#nextRound(() => this.#startRound())
  }

  #grantTurn(isFirst: boolean): void {
    const now = this.#now()
    // Every round grants one turn at least, however long reading the sockets took.
    if (isFirst) this.#stretchStart = now
    else if (now - (this.#stretchStart ?? now) >= STRETCH_MS) return
    const [next] = this.#waiting
    if (next === undefined) return
    const [callerId, queue] = next
    this.#waiting.delete(callerId)
    queue.shift()?.()
    if (queue.length > 0) this.#waiting.set(callerId, queue)
  }
}
