import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { TurnQueue } from './turn-queue.ts'

it('grants one turn per iteration, in the order of the requests', async () => {
  const rounds: (() => void)[] = []
  const turns = new TurnQueue((callback) => rounds.push(callback))
  const granted: string[] = []
  const work = async (name: string, steps: number) => {
    for (let step = 0; step < steps; step += 1) {
      await turns.next()
      granted.push(name)
    }
  }
  const done = Promise.all([work('a', 2), work('b', 2)])
  const seen: string[][] = []
  while (rounds.length > 0) {
    expect(rounds).toHaveLength(1)
    rounds.shift()?.()
    await setImmediate()
    seen.push(granted.splice(0))
  }
  await done
  expect(seen).toEqual([['a'], ['b'], ['a'], ['b']])
})
