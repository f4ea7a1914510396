import { expect, it } from 'vitest'
import { inTurns } from './in-turns.ts'

it('yields to the event loop after the given number of items', async () => {
  let turns = 0
  let isDone = false
  const takeTurn = () => {
    turns += 1
    if (!isDone) setImmediate(takeTurn)
  }
  setImmediate(takeTurn)
  const turnOfItem: number[] = []
  const items = Array.from({ length: 1000 }, (_, index) => index)
  await inTurns(items, 10, () => turnOfItem.push(turns))
  isDone = true
  expect(turnOfItem).toHaveLength(1000)
  const largestTurn = Math.max(
    ...[...Map.groupBy(turnOfItem, (turn) => turn).values()].map((items) => items.length),
  )
  expect(largestTurn).toBe(10)
})
