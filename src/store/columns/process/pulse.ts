/**
 * Asks another process for signs of life, and counts how long it gives none. A process that cannot
 * run itself counts nothing: it may be the machine that is busy.
 */

export interface PulseOptions {
  readonly intervalMs: number
  /** Asks the process, which calls `heard()` with its reply. */
  readonly ask: () => void
  /** Called with the number of intervals since the question that the process has not answered. */
  readonly onSilence: (intervals: number) => void
}

export class Pulse {
  readonly #options: PulseOptions
  #timer: NodeJS.Timeout | undefined
  #isAsked = false
  #silentIntervals = 0

  constructor(options: PulseOptions) {
    this.#options = options
  }

  start(): void {
    // What has arrived meanwhile is read before it is missed.
    this.#timer ??= setInterval(() => setImmediate(() => this.#beat()), this.#options.intervalMs)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.heard()
  }

  /** Notes a sign of life. */
  heard(): void {
    this.#isAsked = false
    this.#silentIntervals = 0
  }

  #beat(): void {
    if (this.#timer === undefined) return
    if (this.#isAsked) {
      this.#silentIntervals += 1
      this.#options.onSilence(this.#silentIntervals)
    } else {
      this.#isAsked = true
      this.#options.ask()
    }
  }
}
