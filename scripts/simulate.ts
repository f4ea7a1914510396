/** Runs random histories of the service and compares them with a model; see the help. */
import { availableParallelism } from 'node:os'
import { postgresDatabases, sqliteDatabases } from '../test/simulation/database.ts'
import { plantBug } from '../test/simulation/plant-bug.ts'
import { PLANTED_BUGS } from '../test/simulation/planted-bugs.ts'
import { runSeeds } from '../test/simulation/run-seeds.ts'
import { describeFailure, Simulator } from '../test/simulation/simulate.ts'
import { startPostgresServer } from '../test/support/postgres-server.ts'
import { type Part, runCommand } from './measure/command.ts'
import { none, print, showProgress, toMarkdown } from './measure/report.ts'
import type { StoreName, Workbench } from './measure/workbench.ts'

const PROCESSES = availableParallelism()

const seeds: Part<{ readonly seeds: number; readonly first: number; readonly processes: number }> =
  {
    about: 'Runs a number of seeds, and prints the first one that fails, and how to repeat it.',
    full: { seeds: 1000, first: 1, processes: PROCESSES },
    quick: { seeds: 20, first: 1, processes: PROCESSES },
    usualStores: ['SQLite'],
    async run({ bench, numbers, texts: { citus }, store }) {
      const started = performance.now()
      let done = 0
      const { clean, failed } = await runSeeds({
        ...numbers,
        count: numbers.seeds,
        postgres: await serverOf(bench, store, citus),
        citus,
        onSeed: () => {
          done += 1
          if (done % 10 === 0) showProgress(`${done} of ${numbers.seeds} seeds`)
        },
      })
      const seconds = (performance.now() - started) / 1000
      const rate = `${(clean / seconds).toFixed(1)} seeds per second`
      print(
        `${clean} seeds are clean on ${citus === undefined ? store : 'Citus'}, in ${seconds.toFixed(0)} s (${rate})`,
      )
      if (failed !== undefined) {
        const option = store === 'SQLite' ? '--sqlite' : '--postgres'
        print(failed.failure ?? '')
        print(`\nRepeat with: npm run simulate -- --only replay --seed ${failed.seed} ${option}`)
      }
      return [none(`${store}: failed seeds`, failed === undefined ? 0 : 1)]
    },
  }

const replay: Part<{ readonly seed: number }> = {
  about: 'Runs one seed, and prints everything that happens.',
  full: { seed: 1 },
  usualStores: ['SQLite'],
  async run({ bench, numbers: { seed }, texts: { citus }, store }) {
    const server = citus ?? (await serverOf(bench, store, citus))
    const isCitus = citus !== undefined
    const databases = server === undefined ? sqliteDatabases() : postgresDatabases(server, isCitus)
    await using simulator = new Simulator(databases)
    const result = await simulator.run(seed)
    for (const line of result.trace) print(line)
    const isClean = result.failure === undefined
    print(isClean ? `seed ${seed} is clean, digest ${result.digest}` : describeFailure(result, 0))
    return [none(`${store}: failed seeds`, isClean ? 0 : 1)]
  },
}

const planted: Part<{ readonly within: number; readonly processes: number }> = {
  about: `Plants one bug after the other in a copy of the source, and prints at which seed the simulation
finds it; each must be found within a number of seeds, on SQLite.`,
  full: { within: 1000, processes: PROCESSES },
  stores: ['SQLite'],
  async run({ numbers: { within, processes } }) {
    const found = new Map<string, string>()
    const rest = PLANTED_BUGS.values()
    // One process per bug, as many bugs at once as processes.
    const work = Array.from({ length: processes }, async () => {
      for (const bug of rest) {
        using copy = plantBug(bug)
        const spec = { first: 1, count: within, processes: 1, checkout: copy.path }
        const { failed } = await runSeeds(spec)
        const seed = failed === undefined ? 'not found' : String(failed.seed)
        found.set(bug.name, seed)
        showProgress(`${found.size} of ${PLANTED_BUGS.length}: ${bug.name}: ${seed}`)
      }
    })
    await Promise.all(work)
    const rows = PLANTED_BUGS.map(({ name }) => [name, found.get(name) ?? ''])
    print(toMarkdown([['Planted bug', 'found at seed'], ...rows]))
    return [none('planted bugs not found', rows.filter(([, at]) => at === 'not found').length)]
  },
}

await runCommand({
  name: 'simulate',
  about: `Runs the service with a virtual clock and seeded random requests, restarts, crashes, key rotations
and clock jumps, and compares every answer with a model. A seed always gives the same history.`,
  parts: { seeds, replay, planted },
  usual: ['seeds'],
  texts: { 'citus=URL': 'with --postgres: a database on a Citus coordinator instead' },
})

/** Returns the URL of a server whose commits need not be durable; undefined on SQLite. */
async function serverOf(
  bench: Workbench,
  store: StoreName,
  citus: string | undefined,
): Promise<string | undefined> {
  if (store === 'SQLite' || citus !== undefined) return undefined
  return process.env['OQS_TEST_POSTGRES'] ?? bench.use(await startPostgresServer()).url
}
