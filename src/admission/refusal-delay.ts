/**
 * Slows down callers that do not wait after a refusal. A refusal is sent at once, and costs as much
 * as a small request; a caller that is refused again and again gets its refusals after a delay. The
 * connection is busy meanwhile, so a proxy sends the requests of other callers on another one.
 */

/** Refusals that a caller gets at once, refilled at the rate below. */
const PROMPT_REFUSALS = 20
const PROMPT_REFUSALS_PER_SECOND = 10
const DELAY_MS = 250
/** Refusals that are delayed together are sent one by one, not all in one turn of the event loop. */
const SPREAD_MS = 5
const SPREAD_STEPS = 50
const MANY_CALLERS = 10_000

interface Allowance {
  left: number
  refilledAt: number
}

export class RefusalDelay {
  readonly #now: () => number
  readonly #callers = new Map<string, Allowance>()
  #delayed = 0

  /** The clock tells milliseconds from any fixed point. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Milliseconds to wait before the next refusal of a caller is sent. */
  next(callerId: string): number {
    const now = this.#now()
    const allowance = this.#callers.get(callerId) ?? this.#add(callerId, now)
    const refilled = ((now - allowance.refilledAt) / 1000) * PROMPT_REFUSALS_PER_SECOND
    allowance.left = Math.min(PROMPT_REFUSALS, allowance.left + refilled)
    allowance.refilledAt = now
    if (allowance.left < 1) {
      this.#delayed = (this.#delayed + 1) % SPREAD_STEPS
      return DELAY_MS + SPREAD_MS * this.#delayed
    }
    allowance.left -= 1
    return 0
  }

  #add(callerId: string, now: number): Allowance {
    // Callers that are refused are few; a new allowance only gives some of them more at once.
    if (this.#callers.size >= MANY_CALLERS) this.#callers.clear()
    const allowance = { left: PROMPT_REFUSALS, refilledAt: now }
    this.#callers.set(callerId, allowance)
    return allowance
  }
}
