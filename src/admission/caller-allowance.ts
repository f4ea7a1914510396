/**
 * An allowance for each caller that refills steadily, like a token bucket: a caller that takes more
 * than its allowance finds it empty until time has passed.
 */

const MANY_CALLERS = 10_000

export interface AllowanceOptions {
  /** What a caller may take at once. */
  readonly burst: number
  readonly perSecond: number
  /** Milliseconds from any fixed point. */
  readonly now?: () => number
}

interface Allowance {
  left: number
  refilledAt: number
}

export class CallerAllowance {
  readonly #burst: number
  readonly #perSecond: number
  readonly #now: () => number
  readonly #callers = new Map<string, Allowance>()

  constructor({ burst, perSecond, now = () => performance.now() }: AllowanceOptions) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#now = now
  }

  /** Takes one from the allowance of a caller. Returns false when it is used up. */
  take(callerId: string): boolean {
    const now = this.#now()
    const allowance = this.#callers.get(callerId) ?? this.#add(callerId, now)
    const refilled = ((now - allowance.refilledAt) / 1000) * this.#perSecond
    allowance.left = Math.min(this.#burst, allowance.left + refilled)
    allowance.refilledAt = now
    if (allowance.left < 1) return false
    allowance.left -= 1
    return true
  }

  #add(callerId: string, now: number): Allowance {
    // Few callers ever take from an allowance; a full one only gives some of them more at once.
    if (this.#callers.size >= MANY_CALLERS) this.#callers.clear()
    const allowance = { left: this.#burst, refilledAt: now }
    this.#callers.set(callerId, allowance)
    return allowance
  }
}
