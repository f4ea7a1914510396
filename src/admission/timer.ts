/** A clock with timeouts, passed in so that tests do not have to wait. */
export interface Timer {
  /** Returns milliseconds from any fixed point. */
  readonly now: () => number
  /** Calls back once after a number of milliseconds. Calling the returned function cancels that. */
  readonly after: (ms: number, callback: () => void) => () => void
}

export const REAL_TIMER: Timer = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timeout = setTimeout(callback, ms)
    timeout.unref()
    return () => clearTimeout(timeout)
  },
}
