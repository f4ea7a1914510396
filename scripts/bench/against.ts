/**
 * Runs the same cases against the service of another checkout, in the same rounds. CPU times include
 * the database.
 */
import { spawnSync } from 'node:child_process'
import { basename, resolve } from 'node:path'
import { allCases, caseName, PAGE_SIZES } from '../measure/cases.ts'
import type { PartContext } from '../measure/command.ts'
import { loadParts } from '../measure/parts.ts'
import { atMost, count, type Mark, showProgress, toMarkdown } from '../measure/report.ts'
import { compareSides, type Side } from '../measure/sides.ts'
import { listPages } from '../measure/walk.ts'
import { NO_CACHE, THIS_CHECKOUT } from '../measure/workbench.ts'
import { HOT } from './page-marks.ts'
import type { PageNumbers } from './pages.ts'

/** Limits of the mean over all cases; single cases vary more from run to run. */
const LIMITS = { CPU: 1.1, p50: 1.15 } as const

export async function measureAgainst(
  { store, bench, numbers, print }: PartContext<PageNumbers>,
  otherCheckout: string,
): Promise<readonly Mark[]> {
  const { objects } = numbers
  const imports: string[] = []
  const prepare = async (name: string, checkout: string): Promise<Side> => {
    // Each checkout loads a store of its own, because the format may have changed.
    const url = await bench.createStore(name)
    const cold = await bench.startService({ store: url, checkout, settings: NO_CACHE })
    const { cpuMicros } = await loadParts(bench, cold, objects)
    imports.push(`${name} ${count(cpuMicros / objects)} µs`)
    showProgress('collecting page tokens')
    const hot = await bench.startService({ store: url, checkout })
    const hotCases = PAGE_SIZES.map((pageSize) => ({
      name: caseName(HOT, 'first', pageSize),
      server: hot,
      calls: [listPages()(pageSize)],
    }))
    const cases = [...hotCases, ...(await allCases(cold, objects))]
    return { name, cases: cases.map((each) => ({ ...each, databasePid: bench.databasePid })) }
  }
  const other = await prepare('other', otherCheckout)
  const own = await prepare('this', THIS_CHECKOUT)
  const { table, mean } = await compareSides([other, own], numbers)
  print(`## ${store}: this checkout / ${describeCheckout(otherCheckout)}`)
  print(toMarkdown(table))
  print(`CPU of the service per imported object: ${imports.join(', ')}.`)
  return (['CPU', 'p50'] as const).map((measure) =>
    atMost(LIMITS[measure], `${store}: mean ${measure} ratio to the other`, mean(own, measure)),
  )
}

/** Returns the commit, or the name of the folder outside a repository. */
function describeCheckout(checkout: string): string {
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%h %s'], { cwd: checkout })
  return String(stdout).trim() || basename(resolve(checkout))
}
