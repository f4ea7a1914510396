/** Kills a service under load, kills imports in each phase, and fills the disk. */
import { loadavg } from 'node:os'
import { fillDisk } from '../../test/support/full-disk.ts'
import { killImports, killsInEachPhase } from '../../test/support/killed-imports.ts'
import { killService } from '../../test/support/kills/killed-service.ts'
import { createDatabase } from '../../test/support/postgres.ts'
import { startPostgresServer } from '../../test/support/postgres-server.ts'
import type { Part } from '../measure/command.ts'
import { atMost, count, median, showProgress, toMarkdown } from '../measure/report.ts'

const RESTART_SECONDS = 2

interface WriteNumbers {
  readonly kills: number
  readonly objects: number
  /** Where the choice of writes and moments begins. */
  readonly seed: number
}

export const writes: Part<WriteNumbers> = {
  about: `Kills a service while writers and snapshot walkers load it, and starts it again on the same store.
On PostgreSQL, but not on Citus, every fourth kill also ends the server, a private one. After each kill,
every acknowledged write must be there once, nothing that was refused may be visible, a write without
a response must be applied completely or not at all, and the walks must continue.`,
  full: { kills: 200, objects: 1_000_000, seed: 1 },
  quick: { kills: 4, objects: 10_000, seed: 1 },
  async run({ bench, numbers, texts: { citus }, store, print }) {
    const { kills, objects } = numbers
    // A server of its own, because it is killed.
    const database =
      store === 'PostgreSQL' &&
      citus === undefined &&
      bench.use(await startPostgresServer({ isDurable: true }))
    showProgress(`loading ${count(objects)} objects`)
    let killed = 0
    const report = await killService({
      ...numbers,
      store: database
        ? bench.use(await createDatabase(database.url)).url
        : await bench.createStore('killed', citus),
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
      ...(database && { 'kills of the database with it': databaseKills }),
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

export const imports: Part<{ readonly importKills: number }> = {
  about: `Kills the service in each phase of an import (reading, writing, indexing, publishing), and the
command, and then completes the import. Either the old objects or the new ones must be complete, and
the completed import must equal its file.`,
  full: { importKills: 20 },
  quick: { importKills: 1 },
  async run({ bench, numbers, texts: { citus }, store, print }) {
    const counts = new Map<string, { old: number; new: number }>()
    const createStore = async () => ({
      name: await bench.createStore('import', citus),
      [Symbol.asyncDispose]: async () => {},
    })
    await killImports(createStore, killsInEachPhase(numbers.importKills), (killed) => {
      const { victim, mode, phase, left, isComplete } = killed
      const name = phase === undefined ? `the ${victim}` : `the ${victim}, ${phase}`
      const counted = counts.get(name) ?? { old: 0, new: 0 }
      counted[isComplete ? 'new' : 'old'] += 1
      counts.set(name, counted)
      showProgress(`${mode}, ${name} killed: ${left} objects left, the second run completed`)
    })
    const rows = [...counts].map(([name, each]) => [name, String(each.old), String(each.new)])
    print(`## ${store}, killed imports`)
    print(toMarkdown([['Killed', 'old objects', 'new objects'], ...rows]))
    print('No acknowledged object was lost, and none was visible before the others.')
    return []
  },
}

export const disk: Part<Record<string, never>> = {
  about: `Fills the disk of a service on SQLite. Writes must be rejected with 503, and the file must stay
undamaged.`,
  full: {},
  stores: ['SQLite'],
  async run({ print }) {
    const { refused, acknowledged, left, added } = await fillDisk()
    if (refused.status !== 503 || left !== acknowledged || added !== 200) {
      throw new Error(`the full disk: ${JSON.stringify({ refused, acknowledged, left, added })}`)
    }
    print(`A full disk: 503, "${refused.reason}"; all ${left} acknowledged objects are left.`)
    return []
  },
}
