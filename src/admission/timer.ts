/** Time as the queues see it, passed in so that tests need not wait. */
export interface Timer {
  /** Milliseconds from any fixed point. */
  readonly now: () => number
  /** Calls back once after a number of milliseconds, unless the returned function is called first. */
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
