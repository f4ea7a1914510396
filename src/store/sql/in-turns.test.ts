import { expect, it } from 'vitest'
import { inTurns } from './in-turns.ts'

it('lets others have their turn after so many items', async () => {
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
  const most = Math.max(
    ...[...Map.groupBy(turnOfItem, (turn) => turn).values()].map((of) => of.length),
  )
  expect(most).toBe(10)
})
