/** Kills a service under load, and measures how long it takes to be ready again. */
import { loadavg } from 'node:os'
import { killService } from '../../test/support/kills/killed-service.ts'
import { createDatabase } from '../../test/support/postgres.ts'
import { startPostgresServer } from '../../test/support/postgres-server.ts'
import type { Part } from '../measure/command.ts'
import { atMost, count, showProgress, toMarkdown } from '../measure/report.ts'
import { median } from '../measure/statistics.ts'

interface WriteNumbers {
  readonly kills: number
  readonly objects: number
  /** Where the choice of writes and moments begins. */
  readonly seed: number
}

const RESTART_SECONDS = 2

export const writes: Part<WriteNumbers> = {
  about: `Kills a service while writers and snapshot walkers load it, and starts it again on the same store.
On PostgreSQL, every fourth kill also ends the server, which is always a private one. After each kill,
every acknowledged write must be there idempotencyKey, nothing that was refused may be visible, a write without
a response must be applied completely or not at all, and the walks must continue.`,
  full: { kills: 200, objects: 1_000_000, seed: 1 },
  quick: { kills: 4, objects: 10_000, seed: 1 },
  bytesPerObject: 2500,
  async run({ bench, numbers, store, print }) {
    const { kills, objects } = numbers
    // A server of its own, because it is killed.
    const isPostgres = store === 'PostgreSQL'
    const database = isPostgres
      ? bench.use(await startPostgresServer({ isDurable: true }))
      : undefined
    showProgress(`loading ${count(objects)} objects`)
    let killed = 0
    const report = await killService({
      ...numbers,
      store: database
        ? bench.use(await createDatabase(database.url)).url
        : await bench.createStore('killed'),
      ...(database && { database }),
      onStart: (child) => bench.adopt(child),
      report: ({ restartMs }) => {
        killed += 1
        showProgress(`kill ${killed} of ${kills}: ready again after ${count(restartMs)} ms`)
      },
    })
    const seconds = report.kills.map(({ restartMs }) => restartMs / 1000)
    const databaseKills = report.kills.filter(({ hasKilledDatabase }) => hasKilledDatabase).length
    const counts = {
      'kills of the service': kills,
      ...(isPostgres && { 'kills of the database with it': databaseKills }),
      'acknowledged writes, none lost': report.acknowledged,
      'refused writes, none visible': report.refused,
      'writes applied without a response, recognised': report.lostResponses,
      'snapshot walks, all exact': report.walks,
      'walks continued after a kill': report.crossingWalks,
    }
    print(`## ${store}, killed under load with ${count(objects)} objects`)
    const rows = Object.entries(counts).map(([name, number]) => [name, count(number)])
    print(toMarkdown([['', 'count'], ...rows]))
    const [typical, longest] = [median(seconds), Math.max(...seconds)]
    const [load = 0] = loadavg()
    print(
      `Ready again after ${count(typical, 2)} s (median), at most ${count(longest, 2)} s. Load average ${load.toFixed(1)}.`,
    )
    return [
      atMost(RESTART_SECONDS, `${store}, restart, median s`, typical),
      atMost(RESTART_SECONDS, `${store}, restart, maximum s`, longest),
    ]
  },
}
