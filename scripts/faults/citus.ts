/** Kills the machines of a Citus cluster, and adds one, under the load of the other faults. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../../test/simulation/random.ts'
import { startCitusCluster } from '../../test/support/citus-cluster.ts'
import { ONTOLOGY, TYPE } from '../../test/support/kills/entries.ts'
import { loadEntries } from '../../test/support/kills/killed-service.ts'
import { LoadedService } from '../../test/support/kills/loaded-service.ts'
import type { PostgresServer } from '../../test/support/postgres-server.ts'
import type { Part } from '../measure/command.ts'
import { sendOnce } from '../measure/connection.ts'
import { atLeast, count, showProgress, toMarkdown } from '../measure/report.ts'
import type { Service } from '../measure/workbench.ts'

/** Six writers and three walkers: 8 writes and 30 pages a second. */
const PAUSES = { writeMs: 750, walkMs: 100 }
const ROUND_MS = 15_000
const DOWN_MS_MAX = 5000
/** More than the minute after which Citus recovers transactions. */
const RECOVERY_MS = 90_000
const WITHOUT_COLUMNS = { OQS_COLUMNS_MEMORY: '0', OQS_PAGE_CACHE_BYTES: '0' }

export const citus: Part<{ readonly minutes: number; readonly objects: number }> = {
  about: `Starts a Citus cluster with two workers, and one service under the writers and walkers of the
kills. In every round, the main process of a worker is killed with SIGKILL and started again; in the
middle of the run, a third worker is added and shards are moved to it. After each round, the objects
must be exactly those that were written, and no walk may end early. Needs a PostgreSQL with Citus.`,
  full: { minutes: 30, objects: 20_000 },
  quick: { minutes: 2, objects: 12_000 },
  stores: ['PostgreSQL'],
  async run({ bench, numbers: { minutes, objects }, print }) {
    const { url, workers, addWorker } = await startCitusCluster(2, 1, (one) => bench.use(one))
    const service = await bench.startService({ store: url, settings: WITHOUT_COLUMNS })
    const origin = service.url.origin
    await loadEntries(origin, objects)
    const random = new Random(1)
    const load = new LoadedService(objects, random, PAUSES)
    const end = performance.now() + 60_000 * minutes
    const middle = end - 30_000 * minutes
    let [kills, moved, running] = [0, 0, workers.slice(0, -1)]
    while (performance.now() < end) {
      const loaded = load.run(origin)
      await load.untilBusy(random.between(5, 40))
      load.expectOutage()
      if (running.length < workers.length && performance.now() > middle) {
        moved = await addWorker(workers.at(-1) as PostgresServer)
        running = [...workers]
      } else {
        await killFor(random.pick(running), random.between(0, DOWN_MS_MAX))
        kills += 1
      }
      await untilServed(service)
      await sleep(ROUND_MS)
      load.expectEnd()
      await loaded
      await untilServed(service)
      await load.check(origin)
      const { acknowledged, walks } = load.counts
      showProgress(`${kills} kills, ${count(acknowledged)} writes, ${count(walks)} walks`)
    }
    await load.finishWalks(origin)
    const { acknowledged, refused, walks, crossingWalks, lostResponses } = load.counts
    const counts = {
      'kills of a worker': kills,
      'shards moved to a new worker': moved,
      'acknowledged writes, none lost and none applied twice': acknowledged,
      'refused writes, none visible': refused,
      'writes applied without a response, recognised': lostResponses,
      'snapshot walks, all exact': walks,
      'walks that continued in the next round': crossingWalks,
    }
    print(`## Citus, ${count(objects)} objects, ${minutes} minutes`)
    const rows = Object.entries(counts).map(([name, number]) => [name, count(number)])
    print(toMarkdown([['', 'count'], ...rows]))
    return [atLeast(1, 'kills of a worker', kills), atLeast(1, 'moved shards', moved)]
  },
}

/** Kills a server, and starts it again after a time. */
async function killFor(server: PostgresServer, ms: number): Promise<void> {
  await server.kill('SIGKILL')
  await sleep(ms)
  for (;;) {
    try {
      return await server.start()
    } catch (error) {
      // Its processes end when they notice that the main process has.
      if (!/lock file|shared memory/.test(String(error))) throw error
      await sleep(100)
    }
  }
}

/** Waits until a write, which changes nothing, reaches all machines. */
async function untilServed(service: Service): Promise<void> {
  const path = `/api/admin/v1/ontologies/${ONTOLOGY}/objects/${TYPE}/missing`
  const started = performance.now()
  while ((await sendOnce(service, { method: 'DELETE', path })).status !== 404) {
    if (performance.now() - started > RECOVERY_MS) throw new Error('writes are still refused')
    await sleep(100)
  }
}
