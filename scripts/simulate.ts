/** Runs random histories of the service and compares them with a model; see the help. */
import { availableParallelism } from 'node:os'
import { postgresDatabases, sqliteDatabases } from '../test/simulation/database.ts'
import { plantBug } from '../test/simulation/plant-bug.ts'
import { PLANTED_BUGS } from '../test/simulation/planted-bugs.ts'
import { runSeeds } from '../test/simulation/run-seeds.ts'
import { describeFailure, Simulator } from '../test/simulation/simulate.ts'
import { startPostgresServer } from '../test/support/postgres-server.ts'
import { FLAG, runScript, TEXT, wholeNumber } from './measure/command-line.ts'
import { print, showProgress } from './measure/progress.ts'
import { toMarkdown } from './measure/table.ts'

const SEEDS = 1000
/** Every planted bug must be found within this many seeds. */
const PLANTED_SEEDS = 1000

const HELP = `Usage: npm run simulate -- [options]

Runs the service with a virtual clock and seeded random requests, restarts, crashes, key rotations
and clock jumps, and compares every answer with a model. A seed always gives the same history. The
exit status is 0, 1 when a seed fails or a planted bug is not found, or 2 when the run fails.

  --seeds N         how many seeds to run; ${SEEDS} by default
  --first S         the first seed; 1 by default
  --seed S          run one seed and print everything that happens
  --store NAME      sqlite (the default), or postgres: starts a server, or uses OQS_TEST_POSTGRES
  --processes N     how many processes to use; one per core by default
  --planted         plant one bug after the other in a copy of the source, and print at which seed
                    the simulation finds it; at most ${PLANTED_SEEDS} seeds each, on SQLite
  --help            this text`

await runScript({
  name: 'simulate',
  help: HELP,
  options: {
    seeds: TEXT,
    first: TEXT,
    seed: TEXT,
    store: { type: 'string', default: 'sqlite' },
    processes: TEXT,
    planted: FLAG,
  },
  async run(values) {
    const processes = wholeNumber('--processes', values.processes, {
      min: 1,
      usual: availableParallelism(),
    })
    if (values.planted) return findPlantedBugs(processes)
    // Awaited below, so that the server runs until the last seed has ended.
    await using server = await openServer(values.store)
    if (values.seed !== undefined) {
      return await replay(wholeNumber('--seed', values.seed, { min: 0, usual: 0 }), server.url)
    }
    const count = wholeNumber('--seeds', values.seeds, { min: 1, usual: SEEDS })
    const first = wholeNumber('--first', values.first, { min: 0, usual: 1 })
    return await runAll({ first, count, processes, postgres: server.url }, values.store)
  },
})

async function openServer(store: string): Promise<AsyncDisposable & { readonly url?: string }> {
  const none = { [Symbol.asyncDispose]: async () => {} }
  if (store === 'sqlite') return none
  if (store !== 'postgres') throw new Error(`--store is ${store}, but must be sqlite or postgres.`)
  const url = process.env['OQS_TEST_POSTGRES']
  return url === undefined ? startPostgresServer() : { ...none, url }
}

async function replay(seed: number, postgres: string | undefined): Promise<boolean> {
  const databases = postgres === undefined ? sqliteDatabases() : postgresDatabases(postgres)
  await using simulator = new Simulator(databases)
  const result = await simulator.run(seed)
  for (const line of result.trace) print(line)
  const isClean = result.failure === undefined
  print(isClean ? `seed ${seed} is clean, digest ${result.digest}` : describeFailure(result, 0))
  return isClean
}

async function runAll(spec: Parameters<typeof runSeeds>[0], store: string): Promise<boolean> {
  const started = performance.now()
  let done = 0
  const { clean, failed } = await runSeeds({
    ...spec,
    onSeed: () => {
      done += 1
      if (done % 10 === 0) showProgress(`${done} of ${spec.count} seeds`)
    },
  })
  const seconds = (performance.now() - started) / 1000
  const rate = `${(clean / seconds).toFixed(1)} seeds per second`
  if (failed === undefined) {
    print(`${clean} seeds are clean on ${store}, in ${seconds.toFixed(0)} s (${rate})`)
    return true
  }
  print(failed.failure ?? '')
  print(`\nRepeat with: npm run simulate -- --seed ${failed.seed} --store ${store}`)
  return false
}

/** Returns whether all bugs were found. One process per bug, as many bugs at once as processes. */
async function findPlantedBugs(processes: number): Promise<boolean> {
  const found = new Map<string, string>()
  const rest = PLANTED_BUGS.values()
  const work = Array.from({ length: processes }, async () => {
    for (const bug of rest) {
      using copy = plantBug(bug)
      const spec = { first: 1, count: PLANTED_SEEDS, processes: 1, checkout: copy.path }
      const { failed } = await runSeeds(spec)
      const seed = failed === undefined ? 'not found' : String(failed.seed)
      found.set(bug.name, seed)
      showProgress(`${found.size} of ${PLANTED_BUGS.length}: ${bug.name}: ${seed}`)
    }
  })
  await Promise.all(work)
  const rows = PLANTED_BUGS.map(({ name }) => [name, found.get(name) ?? ''])
  print(toMarkdown([['Planted bug', 'found at seed'], ...rows]))
  return rows.every(([, seed]) => seed !== 'not found')
}
