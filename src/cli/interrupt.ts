/** Ctrl-C: what is under way ends cleanly, and the status tells of it. */

/** The status of a command that Ctrl-C ended: 128 and the number of the signal. */
export const INTERRUPTED_STATUS = 130

export class Interrupted extends Error {
  override readonly name = 'Interrupted'

  constructor(message = 'interrupted', options?: ErrorOptions) {
    super(message, options)
  }
}

/** Does the work with a signal that Ctrl-C sets off; the work then throws `Interrupted`. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController()
  // A terminal and a package runner may both pass on the same Ctrl-C: the first one counts.
  const interrupt = () => abort.abort(new Interrupted())
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
