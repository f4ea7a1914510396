/** Handles Ctrl-C: the command ends cleanly and exits with status 130. */

/** The exit status after Ctrl-C: 128 plus the number of SIGINT. */
export const INTERRUPTED_STATUS = 130

/** A second Ctrl-C at least this long after the first ends the process at once. */
const SECOND_INTERRUPT_MS = 1000

export class Interrupted extends Error {
  override readonly name = 'Interrupted'

  constructor(message = 'interrupted', options?: ErrorOptions) {
    super(message, options)
  }
}

/** Runs the work with a signal that Ctrl-C aborts; throws `Interrupted` then. */
export async function untilInterrupted<T>(
  work: (signal: AbortSignal) => Promise<T>,
  signals: readonly NodeJS.Signals[] = ['SIGINT'],
): Promise<T> {
  const abort = new AbortController()
  let firstAt: number | undefined
  const interrupt = () => {
    firstAt ??= performance.now()
    // A terminal and a package runner may both forward the same Ctrl-C, so a quick repeat is ignored.
    if (performance.now() - firstAt > SECOND_INTERRUPT_MS) process.exit(INTERRUPTED_STATUS)
    abort.abort(new Interrupted())
  }
  for (const signal of signals) process.on(signal, interrupt)
  try {
    return await work(abort.signal)
  } catch (error) {
    // Errors after the interruption are consequences of it.
    if (!abort.signal.aborted || error instanceof Interrupted) throw error
    throw new Interrupted(undefined, { cause: error })
  } finally {
    for (const signal of signals) process.off(signal, interrupt)
  }
}

/** Runs work that has no end of its own: a signal to stop is not a failure. */
export async function untilStopped(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  await untilInterrupted(work, ['SIGINT', 'SIGTERM']).catch((error: unknown) => {
    if (!(error instanceof Interrupted)) throw error
  })
}
