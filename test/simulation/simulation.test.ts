import { describe, expect, it } from 'vitest'
import { sqliteDatabases } from './database.ts'
import { plantedText } from './plant-bug.ts'
import { PLANTED_BUGS } from './planted-bugs.ts'
import { describeFailure, Simulator } from './simulate.ts'

/** Enough to notice a mistake in the simulation itself; `npm run simulate` runs thousands. */
const SEEDS = 12

describe('a simulated service', () => {
  it('answers like the model, whatever happens to it', async () => {
    await using simulator = new Simulator(sqliteDatabases())
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const result = await simulator.run(seed)
      if (result.failure !== undefined) throw new Error(describeFailure(result))
    }
  })

  it('does the same again with the same seed, in another process state', async () => {
    await using first = new Simulator(sqliteDatabases())
    await using second = new Simulator(sqliteDatabases())
    await second.run(1)
    const [one, two] = [await first.run(7), await second.run(7)]
    expect(two.trace).toEqual(one.trace)
    expect(two.digest).toBe(one.digest)
  })
})

describe('planted bugs', () => {
  it.each(PLANTED_BUGS)('still can be planted: $name', (bug) => {
    expect(plantedText(bug)).not.toBe('')
  })

  it('have different names', () => {
    expect(new Set(PLANTED_BUGS.map(({ name }) => name)).size).toBe(PLANTED_BUGS.length)
  })
})
