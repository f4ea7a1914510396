/**
 * Slows down callers that do not wait after a refusal. A refusal is sent at once, and costs as much
 * as a small request; a caller that is refused again and again gets its refusals after a delay. The
 * connection is busy meanwhile, so a proxy sends the requests of other callers on another one.
 */
import { CallerAllowance } from './caller-allowance.ts'

/** Refusals that a caller gets at once. */
const PROMPT_REFUSALS = { burst: 20, perSecond: 10 }
const DELAY_MS = 250
/** Refusals that are delayed together are sent one by one, not all in one turn of the event loop. */
const SPREAD_MS = 5
const SPREAD_STEPS = 50

export class RefusalDelay {
  readonly #prompt: CallerAllowance
  #delayed = 0

  /** The clock tells milliseconds from any fixed point. */
  constructor(now: () => number = () => performance.now()) {
    this.#prompt = new CallerAllowance({ ...PROMPT_REFUSALS, now })
  }

  /** Milliseconds to wait before the next refusal of a caller is sent. */
  next(callerId: string): number {
    if (this.#prompt.take(callerId)) return 0
    this.#delayed = (this.#delayed + 1) % SPREAD_STEPS
    return DELAY_MS + SPREAD_MS * this.#delayed
  }
}
