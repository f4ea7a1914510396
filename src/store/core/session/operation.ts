/**
 * Operations: procedures over the database that are written once for both stores. An operation is
 * a generator that calls the session with `yield*`. On SQLite every statement has its result at once,
 * so the generator never pauses. On PostgreSQL it pauses with the promise of each result.
 */

/** Yields what must be awaited, and receives the value of it. Only sessions yield. */
export type Operation<Result> = Generator<Promise<unknown>, Result, unknown>

/** Runs an operation of a session that answers at once. */
export function runNow<Result>(operation: Operation<Result>): Result {
  const step = operation.next()
  if (step.done !== true) throw new Error('an operation of a synchronous session has to await')
  return step.value
}

/** Runs an operation, and awaits what it yields. */
export async function runAwaited<Result>(operation: Operation<Result>): Promise<Result> {
  let step = operation.next()
  while (step.done !== true) {
    let value: unknown
    try {
      value = await step.value
    } catch (error) {
      // The operation may handle a statement that failed.
      step = operation.throw(error)
      continue
    }
    step = operation.next(value)
  }
  return step.value
}

/** Makes a promise a part of an operation, for the parts of a store that are asynchronous. */
export function* awaited<Result>(promise: Promise<Result>): Operation<Result> {
  // The generator receives the value of the promise that it has yielded.
  return (yield promise) as Result
}

/** Makes a value that is known at once a part of an operation, for the parts of SQLite. */
// biome-ignore lint/correctness/useYield: its value is known at once.
export function* settled<Result>(value: Result): Operation<Result> {
  return value
}
