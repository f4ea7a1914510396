/** The signals that stop a service. */

export const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Runs a function at the first signal to stop, until it is disposed; then the signals have their
 * default action again.
 */
export function onStopSignal(run: (signal: NodeJS.Signals) => Promise<void>): Disposable {
  const listener = (signal: NodeJS.Signals) => {
    for (const name of STOP_SIGNALS) process.off(name, listener)
    void run(signal)
  }
  for (const name of STOP_SIGNALS) process.once(name, listener)
  return {
    [Symbol.dispose]() {
      for (const name of STOP_SIGNALS) process.off(name, listener)
    },
  }
}
