/**
 * The entry point of a process that runs seeds. It sends one message per seed to its parent, and
 * ends after the first failure.
 */
import { parseArgs } from 'node:util'
import { postgresDatabases, sqliteDatabases } from './database.ts'
import { describeFailure, Simulator } from './simulate.ts'

/** The outcome of a seed, as a message. */
export interface SeedMessage {
  readonly seed: number
  /** The description of the failure; undefined if the seed is clean. */
  readonly failure: string | undefined
}

const TEXT = { type: 'string', default: '' } as const
const { values } = parseArgs({
  options: { first: TEXT, count: TEXT, stride: TEXT, postgres: TEXT },
})
const [first, count, stride] = [values.first, values.count, values.stride].map(Number) as number[]
process.on('disconnect', () => process.exit())

const databases = values.postgres === '' ? sqliteDatabases() : postgresDatabases(values.postgres)
await using simulator = new Simulator(databases)
for (let run = 0; run < (count ?? 0); run += 1) {
  const result = await simulator.run((first ?? 0) + run * (stride ?? 1))
  const failure = result.failure === undefined ? undefined : describeFailure(result)
  await send({ seed: result.seed, failure })
  if (failure !== undefined) break
}
process.disconnect()

function send(message: SeedMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()))
}
