/** Measures the service on one store: against the bare store and the ceiling, and under readers. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { allCases, caseName, casesOf, LIST, PAGE_SIZES, SNAPSHOT } from '../measure/cases.ts'
import type { StoreName } from '../measure/command-line.ts'
import { readBody } from '../measure/connection.ts'
import type { Mark } from '../measure/marks.ts'
import { partNumber } from '../measure/parts.ts'
import { print, showProgress } from '../measure/progress.ts'
import { measureReaders, type ReadersReport } from '../measure/readers.ts'
import { type Case, measureCases, type Samples, summarise } from '../measure/rounds.ts'
import { type MeasuredServer, startServer } from '../measure/server.ts'
import { loadParts, NO_CACHE, type Service, startService, updateParts } from '../measure/service.ts'
import { count, type Table, toMarkdown } from '../measure/table.ts'
import { listPages, offsetsOf } from '../measure/walk.ts'
import {
  openStores,
  openWorkspace,
  requireDiskSpace,
  type Workspace,
} from '../measure/workspace.ts'
import { type CeilingReport, MISSING_WRK, measureCeiling } from './ceiling.ts'
import { AFTER_UPDATES, BARE_STORE, HOT, PAST_SNAPSHOT, ratioMarks, TWO_WORKERS } from './marks.ts'
import type { BenchOptions } from './options.ts'

export interface StoreReport {
  /** Markdown. */
  readonly text: string
  readonly marks: readonly Mark[]
}

const BARE_SERVER = fileURLToPath(new URL('./bare-server.ts', import.meta.url))
/** Rows with two versions, their indexes, and room for sorting. */
const BYTES_PER_OBJECT = 4000
const READERS_LIMIT_MB = 250
/** On two cores the shares were 0.09 to 0.17 without the page cache and 0.3 to 0.6 with it. */
const CEILING_LIMITS = { cold: 0.05, hot: 0.2 }

export async function measureStore(store: StoreName, options: BenchOptions): Promise<StoreReport> {
  const { objects } = options
  const parts: string[] = []
  const report = (text: string) => {
    parts.push(text)
    print(`\n${text}`)
  }
  report(`## ${store}`)
  using workspace = openWorkspace()
  requireDiskSpace(workspace, 1e9 + BYTES_PER_OBJECT * objects)
  await using stores = await openStores(store, workspace)
  const url = await stores.create('bench')
  await using cold = await startService(workspace, { store: url, settings: NO_CACHE })
  const { seconds } = await loadParts(workspace, cold, objects)
  const rate = `${count(objects)} objects in ${seconds.toFixed(1)} s`
  report(`\`oqs import --replace\` loaded ${rate} (${count(objects / seconds)} per second).`)
  showProgress('collecting page tokens')
  const cases = await allCases(cold, objects)
  const { samples, ceiling } = await measurePages(workspace, cold, url, cases, options)
  report(caseTable(samples))
  report(ceiling === undefined ? MISSING_WRK : toMarkdown(ceiling.table))
  const readers = await measureNewService(workspace, url)
  report(toMarkdown(readers.table))

  const past = await casesOf(cold, { ...SNAPSHOT, name: PAST_SNAPSHOT }, objects)
  await updateParts(cold, objects)
  const current = await casesOf(cold, { ...LIST, name: AFTER_UPDATES, ranges: ['deep'] }, objects)
  const later = await measureCases([...past, ...current], { ...options, warmUpMs: 0 })
  report(caseTable(later))
  const ceilingMarks: readonly Mark[] =
    store === 'SQLite'
      ? [
          shareMark('cached page / ceiling, req/s', ceiling?.hotShare, CEILING_LIMITS.hot),
          shareMark('uncached page / ceiling, req/s', ceiling?.coldShare, CEILING_LIMITS.cold),
        ]
      : []
  const memory: Mark = {
    name: `${store}: private MB with 32 readers`,
    value: readers.ownMegabytes,
    bound: '≤',
    limit: READERS_LIMIT_MB,
  }
  const marks = [...ratioMarks(store, new Map([...samples, ...later])), ...ceilingMarks, memory]
  return { text: parts.join('\n\n'), marks }
}

/** Measures all servers on the same store in the same rounds, and then the ceiling. */
async function measurePages(
  workspace: Workspace,
  cold: Service,
  store: string,
  cases: readonly Case[],
  options: BenchOptions,
): Promise<{ readonly samples: Samples; readonly ceiling: CeilingReport | undefined }> {
  const twoWorkers = { store, settings: { ...NO_CACHE, OQS_WORKERS: '2' } }
  await using two = await startService(workspace, twoWorkers)
  await using hot = await startService(workspace, { store })
  await using bare = await startBareServer(workspace, cold, store)
  const beside = besideCases(cases, { hot, two, bare }, options.objects)
  const samples = await measureCases([...beside, ...cases], options)
  const ceiling = await measureShares(workspace, { bare, hot, cold }, options)
  return { samples, ceiling }
}

/** In a new process, because earlier requests would count for its memory. */
async function measureNewService(workspace: Workspace, store: string): Promise<ReadersReport> {
  await using service = await startService(workspace, { store })
  return await measureReaders(service)
}

async function startBareServer(
  workspace: Workspace,
  service: Service,
  store: string,
): Promise<MeasuredServer> {
  const page = join(workspace.folder, 'page.json')
  writeFileSync(page, await readBody(service, listPages()(1000)))
  return startServer(workspace, { file: process.execPath, args: [BARE_SERVER, page, store] })
}

interface BesideServers {
  readonly hot: MeasuredServer
  readonly two: MeasuredServer
  readonly bare: MeasuredServer
}

/** Cases of the other servers, which the cases of the service are compared with. */
function besideCases(
  cases: readonly Case[],
  { hot, two, bare }: BesideServers,
  objects: number,
): readonly Case[] {
  const spread = (pageSize: number) => {
    const name = caseName('list', 'spread', pageSize)
    return cases.find((each) => each.name === name)?.calls ?? []
  }
  return PAGE_SIZES.flatMap((pageSize) => [
    {
      name: caseName(BARE_STORE, 'spread', pageSize),
      server: bare,
      calls: offsetsOf('spread', objects, pageSize).map((offset) => ({
        method: 'GET',
        path: `/store/${pageSize}/${offset === 0 ? '' : partNumber(offset - 1)}`,
      })),
    },
    { name: caseName(HOT, 'first', pageSize), server: hot, calls: [listPages()(pageSize)] },
    { name: caseName(TWO_WORKERS, 'spread', pageSize), server: two, calls: spread(pageSize) },
  ])
}

function measureShares(
  workspace: Workspace,
  { bare, hot, cold }: Omit<BesideServers, 'two'> & { readonly cold: MeasuredServer },
  { ceiling }: BenchOptions,
) {
  // wrk sends first pages with different sizes: each is read from the store.
  const sizes = Array.from({ length: 20 }, (_, n) => 981 + n)
  const constant = [{ method: 'GET', path: '/constant' }]
  return measureCeiling(
    workspace,
    [
      { name: 'ceiling: a constant page', server: bare, calls: constant },
      { name: 'service, cached page', server: hot, calls: [listPages()(1000)] },
      { name: 'service, uncached pages', server: cold, calls: sizes.map((n) => listPages()(n)) },
    ],
    ceiling,
  )
}

function shareMark(name: string, value: number | undefined, limit: number): Mark {
  return { name: `SQLite: ${name}`, value, bound: '≥', limit }
}

function caseTable(samples: Samples): string {
  const rows: Table = [...samples].map(([{ name }, own]) => {
    const { bytes, requestsPerSecond, cpuMicros, p50Ms, p99Ms } = summarise(own)
    const times = [count(cpuMicros), p50Ms.toFixed(2), p99Ms.toFixed(2)]
    return [name, (bytes / 1000).toFixed(1), count(requestsPerSecond), ...times]
  })
  return toMarkdown([['Case', 'kB', 'req/s', 'CPU µs', 'p50 ms', 'p99 ms'], ...rows])
}
