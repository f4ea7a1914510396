/**
 * Work that can be paused: it yields whenever a few milliseconds' worth is done. Nearly all objects
 * are done without a pause; an object with very many values must not hold up everything else.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>

const ITEMS_PER_STEP = 4000

/** Whether items are so few that they are done without a pause, and cheaper as a plain loop. */
export function isShort(items: readonly unknown[]): boolean {
  return items.length <= ITEMS_PER_STEP
}

/** The results of a function for each item. */
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

/** Does all steps at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Does step after step, each in a turn of its own. */
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
