/**
 * Shares the event loop between long pieces of work of one kind. `setImmediate` alone would run the
 * next step of each of them in the same iteration, so other requests would wait for all of them.
 */
export class TurnQueue {
  readonly #nextRound: (callback: () => void) => void
  readonly #waiting: (() => void)[] = []

  constructor(nextRound: (callback: () => void) => void = setImmediate) {
    this.#nextRound = nextRound
  }

  /** Resolves in a later iteration of the event loop; each iteration resolves one promise. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#waiting.length === 1) this.#nextRound(() => this.#grant())
    })
  }

  #grant(): void {
    this.#waiting.shift()?.()
    if (this.#waiting.length > 0) this.#nextRound(() => this.#grant())
  }
}
