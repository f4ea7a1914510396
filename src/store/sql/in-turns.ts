import { nextTurn } from '../../admission/next-turn.ts'

/** Processes items one by one, and yields to the event loop after every `itemsPerTurn` of them. */
export async function inTurns<Item>(
  items: readonly Item[],
  itemsPerTurn: number,
  work: (item: Item) => void,
): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % itemsPerTurn === 0) await nextTurn()
    work(item)
  }
}

const RUN_LENGTH = 4096
const MERGED_ITEMS_PER_TURN = 20_000

/** A stable merge sort by key that yields to the event loop between short runs and merge steps. */
export async function sortInTurns<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Promise<readonly Item[]> {
  if (isSorted(items, keyOf)) return items
  let runs: Item[][] = []
  for (let at = 0; at < items.length; at += RUN_LENGTH) {
    const run = items.slice(at, at + RUN_LENGTH)
    runs.push(run.sort((a, b) => compare(keyOf(a), keyOf(b))))
    await nextTurn()
  }
  while (runs.length > 1) {
    const merged: Item[][] = []
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], keyOf))
    }
    runs = merged
  }
  return runs[0] ?? []
}

function isSorted<Item>(items: readonly Item[], keyOf: (item: Item) => string): boolean {
  return items.every((item, at) => {
    const before = items[at - 1]
    return before === undefined || keyOf(before) <= keyOf(item)
  })
}

async function merge<Item>(
  left: readonly Item[],
  right: readonly Item[],
  keyOf: (item: Item) => string,
): Promise<Item[]> {
  const merged: Item[] = []
  let [l, r] = [0, 0]
  while (l < left.length && r < right.length) {
    const [a, b] = [left[l] as Item, right[r] as Item]
    const isLeftNext = keyOf(a) <= keyOf(b)
    merged.push(isLeftNext ? a : b)
    if (isLeftNext) l += 1
    else r += 1
    if (merged.length % MERGED_ITEMS_PER_TURN === 0) await nextTurn()
  }
  for (; l < left.length; l += 1) merged.push(left[l] as Item)
  for (; r < right.length; r += 1) merged.push(right[r] as Item)
  return merged
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
