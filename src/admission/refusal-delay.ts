/**
 * Slows down callers that retry without waiting after a refusal. A refusal costs as much as a small
 * request, so a caller that is refused again and again gets its refusals after a delay. The
 * connection is busy during the delay, so a proxy sends the requests of other callers on another one.
 */
import { CallerBuckets } from './caller-limits.ts'

/** Refusals of one caller that are sent without delay. */
const PROMPT_REFUSALS = { capacity: 20, tokensPerSecond: 10 }
const DELAY_MS = 250
/** Spreads delayed refusals, so that they are not all sent in one turn of the event loop. */
const SPREAD_MS = 5
const SPREAD_STEPS = 50

export class RefusalDelay {
  readonly #prompt: CallerBuckets
  #delayed = 0

  /** The clock returns milliseconds from any fixed point. */
  constructor(now?: () => number) {
    this.#prompt = new CallerBuckets(PROMPT_REFUSALS, now)
  }

  /** Returns the milliseconds to wait before the next refusal of a caller is sent. */
  next(callerId: string): number {
    if (this.#prompt.take(callerId)) return 0
    this.#delayed = (this.#delayed + 1) % SPREAD_STEPS
    return DELAY_MS + SPREAD_MS * this.#delayed
  }
}
