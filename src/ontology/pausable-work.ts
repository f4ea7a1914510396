/**
 * Work that can be paused: a generator that yields after a few milliseconds of work. Nearly all
 * objects need no pause; one with very many values must not block the event loop.
 */

export type Steps<Result> = Generator<undefined, Result, undefined>

export const ITEMS_PER_STEP = 4000

/** Like `Array.map`, with a pause after every few thousand items. */
export function* mapInSteps<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Steps<Result[]> {
  const results: Result[] = []
  for (const item of items) {
    if (results.length % ITEMS_PER_STEP === ITEMS_PER_STEP - 1) yield
    results.push(map(item))
  }
  return results
}

/** Runs all steps without a pause. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Runs each step in its own turn of the event loop. */
export async function finishInTurns<Result>(
  steps: Steps<Result>,
  nextTurn: () => Promise<unknown>,
): Promise<Result> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await nextTurn()
  }
}
