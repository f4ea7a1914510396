/** Kills a service under load, and measures how long it takes to be ready again. */
import { loadavg } from 'node:os'
import { killService } from '../../test/support/kills/killed-service.ts'
import { createDatabase } from '../../test/support/postgres.ts'
import { type PostgresServer, startPostgresServer } from '../../test/support/postgres-server.ts'
import type { StoreName } from '../measure/command-line.ts'
import type { Mark } from '../measure/marks.ts'
import { print, showProgress } from '../measure/progress.ts'
import { median } from '../measure/statistics.ts'
import { count, toMarkdown } from '../measure/table.ts'
import { openStores, openWorkspace, requireDiskSpace } from '../measure/workspace.ts'

export interface LoadKills {
  readonly kills: number
  readonly objects: number
  readonly seed: number
}

const RESTART_SECONDS = 2
const BYTES_PER_OBJECT = 2500

/** Throws if a check fails; prints the figures and returns the marks. */
export async function killUnderLoad(
  store: StoreName,
  { kills, objects, seed }: LoadKills,
): Promise<readonly Mark[]> {
  using workspace = openWorkspace()
  requireDiskSpace(workspace, 1e9 + BYTES_PER_OBJECT * objects)
  await using running = new AsyncDisposableStack()
  // A server of its own, because it is killed.
  let server: PostgresServer | undefined
  let name: string
  if (store === 'PostgreSQL') {
    server = running.use(await startPostgresServer({ isDurable: true }))
    name = running.use(await createDatabase(server.url)).url
  } else {
    name = await running.use(await openStores(store, workspace)).create('killed')
  }
  showProgress(`loading ${count(objects)} objects`)
  let killed = 0
  const report = await killService({
    store: name,
    kills,
    objects,
    seed,
    ...(server === undefined ? {} : { database: server }),
    onStart: (child) => workspace.adopt(child),
    report: ({ restartMs }) => {
      killed += 1
      showProgress(`kill ${killed} of ${kills}: ready again after ${count(restartMs)} ms`)
    },
  })
  const times = report.kills.map(({ restartMs }) => restartMs / 1000)
  const databaseKills = report.kills.filter(({ hasKilledDatabase }) => hasKilledDatabase).length
  const [load = 0] = loadavg()
  print(`\n## ${store}, killed under load with ${count(objects)} objects\n`)
  print(
    toMarkdown([
      ['', 'count'],
      ['kills of the service', count(kills)],
      ...(server === undefined ? [] : [['kills of the database with it', count(databaseKills)]]),
      ['acknowledged writes, none lost', count(report.acknowledged)],
      ['refused writes, none visible', count(report.refused)],
      ['writes applied without a response, recognised', count(report.lostResponses)],
      ['snapshot walks, all exact', count(report.walks)],
      ['walks continued after a kill', count(report.crossingWalks)],
    ]),
  )
  print(
    `\nReady again after ${count(median(times), 2)} s (median), at most ${count(Math.max(...times), 2)} s. Load average ${load.toFixed(1)}.`,
  )
  return [
    {
      name: `${store}, restart, median s`,
      value: median(times),
      bound: '≤',
      limit: RESTART_SECONDS,
    },
    {
      name: `${store}, restart, maximum s`,
      value: Math.max(...times),
      bound: '≤',
      limit: RESTART_SECONDS,
    },
  ]
}
