import { inject, it } from 'vitest'
import { postgresDatabases } from './database.ts'
import { describeFailure, Simulator } from './simulate.ts'

const SEEDS = 8
/** Each lane waits for the server most of the time. */
const LANES = 4

it('answers like the model on PostgreSQL, whatever happens to it', async () => {
  const seeds = Array.from({ length: SEEDS }, (_, at) => at + 1).values()
  const runLane = async () => {
    await using simulator = new Simulator(postgresDatabases(inject('postgresUrl')))
    for (const seed of seeds) {
      const result = await simulator.run(seed)
      if (result.failure !== undefined) throw new Error(describeFailure(result))
    }
  }
  await Promise.all(Array.from({ length: LANES }, runLane))
})
