import { inject, it } from 'vitest'
import { postgresDatabases } from './database.ts'
import { describeFailure, Simulator } from './simulate.ts'

const SEEDS = 10

it('answers like the model on PostgreSQL, whatever happens to it', async () => {
  await using simulator = new Simulator(postgresDatabases(inject('postgresUrl')))
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const result = await simulator.run(seed)
    if (result.failure !== undefined) throw new Error(describeFailure(result))
  }
})
