/** Ctrl-C: what is under way ends cleanly, and the status tells of it. */

/** The status of a command that Ctrl-C ended: 128 and the number of the signal. */
export const INTERRUPTED_STATUS = 130

/** A Ctrl-C this long after the first means: at once. */
const ANOTHER_MS = 1000

export class Interrupted extends Error {
  override readonly name = 'Interrupted'

  constructor(message = 'interrupted', options?: ErrorOptions) {
    super(message, options)
  }
}

/** Does the work with a signal that Ctrl-C sets off; the work then throws `Interrupted`. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController()
  let firstAt: number | undefined
  const interrupt = () => {
    firstAt ??= performance.now()
    // A terminal and a package runner may both pass on the same Ctrl-C; a later one is another.
    if (performance.now() - firstAt > ANOTHER_MS) process.exit(INTERRUPTED_STATUS)
    abort.abort(new Interrupted())
  }
  process.on('SIGINT', interrupt)
  try {
    return await work(abort.signal)
  } catch (error) {
    // Whatever failed because of it, the interruption is what happened.
    if (!abort.signal.aborted || error instanceof Interrupted) throw error
    throw new Interrupted(undefined, { cause: error })
  } finally {
    process.off('SIGINT', interrupt)
  }
}
