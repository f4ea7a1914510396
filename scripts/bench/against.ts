/**
 * Runs the same cases against the service of another checkout, in the same rounds. CPU times include
 * the database.
 */
import { spawnSync } from 'node:child_process'
import { basename, resolve } from 'node:path'
import { allCases, caseName, PAGE_SIZES } from '../measure/cases.ts'
import type { StoreName } from '../measure/command-line.ts'
import { atMost, type Mark } from '../measure/marks.ts'
import { print, showProgress } from '../measure/progress.ts'
import { loadParts, NO_CACHE, startService, THIS_CHECKOUT } from '../measure/service.ts'
import { compareSides, type Side } from '../measure/sides.ts'
import { count, toMarkdown } from '../measure/table.ts'
import { listPages } from '../measure/walk.ts'
import { openStores, openWorkspace } from '../measure/workspace.ts'
import { HOT } from './marks.ts'
import type { BenchOptions } from './measure-store.ts'

/** Limits of the mean over all cases; single cases vary more from run to run. */
const LIMITS = { CPU: 1.1, p50: 1.15 } as const

export async function measureAgainst(
  store: StoreName,
  checkout: string,
  options: BenchOptions,
): Promise<readonly Mark[]> {
  using workspace = openWorkspace()
  await using stores = await openStores(store, workspace)
  await using services = new AsyncDisposableStack()
  const imports: string[] = []
  const prepare = async (name: string, root: string): Promise<Side> => {
    // Each checkout loads a store of its own, because the format may have changed.
    const url = await stores.create(name)
    const start = async (settings: Readonly<Record<string, string>>) =>
      services.use(await startService(workspace, { store: url, checkout: root, settings }))
    const cold = await start(NO_CACHE)
    const { cpuMicros } = await loadParts(workspace, cold, options.objects)
    imports.push(`${name} ${count(cpuMicros / options.objects)} µs`)
    showProgress('collecting page tokens')
    const hot = await start({})
    const hotCases = PAGE_SIZES.map((pageSize) => ({
      name: caseName(HOT, 'first', pageSize),
      server: hot,
      calls: [listPages()(pageSize)],
    }))
    const cases = [...hotCases, ...(await allCases(cold, options.objects))]
    return { name, cases: cases.map((each) => ({ ...each, databasePid: stores.databasePid })) }
  }
  const other = await prepare('other', checkout)
  const own = await prepare('this', THIS_CHECKOUT)
  const { table, mean } = await compareSides([other, own], options)
  print(`\n## ${store}: this checkout / ${describeCheckout(checkout)}\n`)
  print(toMarkdown(table))
  print(`\nCPU of the service per imported object: ${imports.join(', ')}.`)
  return (['CPU', 'p50'] as const).map((measure) =>
    atMost(LIMITS[measure], `${store}: mean ${measure} ratio to the other`, mean(own, measure)),
  )
}

/** Returns the commit, or the name of the folder outside a repository. */
function describeCheckout(checkout: string): string {
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%h %s'], { cwd: checkout })
  return String(stdout).trim() || basename(resolve(checkout))
}
