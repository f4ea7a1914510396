/**
 * Work that can be paused: it yields whenever a few milliseconds' worth is done. Nearly all objects
 * are done without a pause; an object with very many values must not hold up everything else.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>

const ITEMS_PER_STEP = 4000

/** Whether it is time to yield before the item with this index. */
export function isStep(index: number): boolean {
  return index > 0 && index % ITEMS_PER_STEP === 0
}

/** The results of a function for each item. */
export function* mapInSteps<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Steps<Result[]> {
  if (items.length <= ITEMS_PER_STEP) return items.map((item) => map(item))
  const results: Result[] = []
  for (const [index, item] of items.entries()) {
    if (isStep(index)) yield
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
