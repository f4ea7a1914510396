import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Does work item by item, and lets other work of the process have its turn whenever so much of it
 * is done: work that takes long as a whole holds nothing up.
 */
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
