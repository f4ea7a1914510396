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
