/** Runs the same cases against the service of another checkout, in the same rounds. */
import { execFile } from 'node:child_process'
import { basename, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { StoreName } from '../measure/command-line.ts'
import type { Mark } from '../measure/marks.ts'
import { print, showProgress } from '../measure/progress.ts'
import { type Case, measureCases, type Ratio, ratioOf, summarise } from '../measure/rounds.ts'
import {
  type ImportReport,
  loadParts,
  NO_CACHE,
  startService,
  THIS_CHECKOUT,
} from '../measure/service.ts'
import { geometricMean } from '../measure/statistics.ts'
import { count, type Table, toMarkdown } from '../measure/table.ts'
import { listPages } from '../measure/walk.ts'
import { openStores, openWorkspace } from '../measure/workspace.ts'
import { caseName, HOT, PAGE_SIZES, pageCases } from './cases.ts'
import type { BenchOptions } from './options.ts'

/** Limits of the mean over all cases; single cases vary more from run to run. */
const LIMITS = { CPU: 1.1, p50: 1.15 } as const

export async function measureAgainst(
  store: StoreName,
  checkout: string,
  options: BenchOptions,
): Promise<readonly Mark[]> {
  const { objects } = options
  using workspace = openWorkspace()
  await using stores = await openStores(store, workspace)
  await using services = new AsyncDisposableStack()
  const sides: { readonly cases: readonly Case[]; readonly imported: ImportReport }[] = []
  for (const side of [THIS_CHECKOUT, checkout]) {
    // Each checkout loads a store of its own, because the format may have changed.
    const url = await stores.create(`store-${sides.length}`)
    const start = async (settings: Readonly<Record<string, string>>) =>
      services.use(await startService(workspace, { store: url, checkout: side, settings }))
    const cold = await start(NO_CACHE)
    const imported = await loadParts(workspace, cold, objects)
    showProgress('collecting page tokens')
    const hot = await start({})
    const hotCases = PAGE_SIZES.map((pageSize) => ({
      name: caseName(HOT, 'first', pageSize),
      server: hot,
      calls: [listPages()(pageSize)],
    }))
    sides.push({ cases: [...hotCases, ...(await pageCases(cold, objects))], imported })
  }
  const [own, other] = sides
  if (own === undefined || other === undefined) throw new Error('There are no two sides.')
  const pairs = own.cases.flatMap((each): (readonly [Case, Case])[] => {
    const peer = other.cases.find(({ name }) => name === each.name)
    return peer === undefined ? [] : [[each, peer]]
  })
  const samples = await measureCases(pairs.flat(), options)
  const ratios: Ratio[] = []
  const rows: Table = pairs.map(([each, peer]) => {
    const [ofThis = [], ofOther = []] = [samples.get(each), samples.get(peer)]
    const ratio = ratioOf(ofThis, ofOther)
    ratios.push(ratio)
    const cpu = [ofThis, ofOther].map((side) => count(summarise(side).cpuMicros))
    const quartiles = ratio.quartiles.map((value) => value.toFixed(2)).join('-')
    return [each.name, ...cpu, ratio.CPU.toFixed(2), quartiles, ratio.p50.toFixed(2)]
  })
  const mean = (measure: 'CPU' | 'p50') => geometricMean(ratios.map((ratio) => ratio[measure]))
  const means = ['', '', mean('CPU').toFixed(2), '', mean('p50').toFixed(2)]
  const perObject = sides.map(({ imported }) => (imported.cpuMicros ?? Number.NaN) / objects)
  const [ofThis = Number.NaN, ofOther = Number.NaN] = perObject
  const cpuPerObject = [count(ofThis), count(ofOther), (ofThis / ofOther).toFixed(2), '', '']
  const header = ['Case', 'this µs', 'other µs', 'CPU ratio', 'by round', 'p50 ratio']
  const last: Table = [
    ['geometric mean of all cases', ...means],
    ['import, per object', ...cpuPerObject],
  ]
  print(`\n## ${store}: this checkout / ${await describeCheckout(checkout)}\n`)
  print(toMarkdown([header, ...rows, ...last]))
  return (['CPU', 'p50'] as const).map((measure) => ({
    name: `${store}: mean ${measure} ratio to the other checkout`,
    value: mean(measure),
    bound: '≤',
    limit: LIMITS[measure],
  }))
}

/** Returns the commit, or the name of the folder outside a repository. */
async function describeCheckout(checkout: string): Promise<string> {
  const log = ['log', '-1', '--format=%h %s']
  return promisify(execFile)('git', log, { cwd: checkout }).then(
    ({ stdout }) => stdout.trim(),
    () => basename(resolve(checkout)),
  )
}
