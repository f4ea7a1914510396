/**
 * The entry point of a process that runs seeds. It sends one message per seed to its parent, and
 * ends after the first failure.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { memoryFolder, postgresDatabases, sqliteDatabases } from './database.ts'
import { describeFailure, Simulator } from './simulate.ts'

/** The outcome of a seed, as a message. */
export interface SeedMessage {
  readonly seed: number
  /** The description of the failure; undefined if the seed is clean. */
  readonly failure: string | undefined
}

/** Seeds on PostgreSQL mostly wait for the server, so several run at once; each has its own world. */
const POSTGRES_LANES = 8

const TEXT = { type: 'string', default: '' } as const
const { values } = parseArgs({
  options: { first: TEXT, count: TEXT, stride: TEXT, postgres: TEXT, citus: TEXT },
})
const server = values.citus || values.postgres
const isSqlite = server === ''
const folder = mkdtempSync(join(memoryFolder(), 'oqs-seeds-'))
const databases = isSqlite
  ? sqliteDatabases(folder)
  : postgresDatabases(server, server === values.citus)
const seeds = Array.from(
  { length: Number(values.count) },
  (_, run) => Number(values.first) + run * Number(values.stride),
).values()
let isFailed = false
// However the process ends, except when it is killed, its files are removed.
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const event of ['disconnect', 'SIGINT', 'SIGTERM']) process.on(event, () => process.exit())

const lanes = Array.from({ length: isSqlite ? 1 : POSTGRES_LANES }, async () => {
  await using simulator = new Simulator(databases)
  for (const seed of seeds) {
    if (isFailed) break
    const result = await simulator.run(seed)
    const failure = result.failure === undefined ? undefined : describeFailure(result)
    isFailed ||= failure !== undefined
    await send({ seed, failure })
  }
})
await Promise.all(lanes)
process.disconnect()

function send(message: SeedMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()))
}
