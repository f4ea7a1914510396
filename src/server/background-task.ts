/** Starts work that lasts as long as the service. Disposing signals the end and waits for it. */
export function startBackgroundTask(run: (signal: AbortSignal) => Promise<void>): AsyncDisposable {
  const stop = new AbortController()
  const running = run(stop.signal)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}
