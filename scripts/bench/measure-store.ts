/** Measures the service on one store: against the bare store and the ceiling, and under readers. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { allCases, caseName, casesOf, LIST, PAGE_SIZES, SNAPSHOT } from '../measure/cases.ts'
import type { StoreName } from '../measure/command-line.ts'
import { readBody } from '../measure/connection.ts'
import { atLeast, atMost, type Mark } from '../measure/marks.ts'
import { partNumber } from '../measure/parts.ts'
import { peakMegabytes } from '../measure/process-stats.ts'
import { print, showProgress } from '../measure/progress.ts'
import { type Case, measureCases, type RoundOptions } from '../measure/rounds.ts'
import { type MeasuredServer, startServer } from '../measure/server.ts'
import { loadParts, NO_CACHE, startService, updateParts } from '../measure/service.ts'
import { caseTable } from '../measure/sides.ts'
import { count, toMarkdown } from '../measure/table.ts'
import { listPages, measureReaders, offsetsOf } from '../measure/walk.ts'
import {
  openStores,
  openWorkspace,
  requireDiskSpace,
  type Workspace,
} from '../measure/workspace.ts'
import { type CeilingOptions, MISSING_WRK, measureCeiling } from './ceiling.ts'
import { AFTER_UPDATES, BARE_STORE, HOT, PAST_SNAPSHOT, ratioMarks, TWO_WORKERS } from './marks.ts'
import { rightsCases } from './rights.ts'

export interface BenchOptions extends RoundOptions {
  readonly objects: number
  readonly ceiling: CeilingOptions
}

export interface BenchReport {
  /** Markdown. */
  readonly text: string
  readonly marks: readonly Mark[]
}

const BARE_SERVER = fileURLToPath(new URL('./bare-server.ts', import.meta.url))
/** Rows with two versions, their indexes, and room for sorting. */
const BYTES_PER_OBJECT = 4000
const READERS_LIMIT_MB = 250
/** On two cores the shares were 0.09 to 0.17 without the page cache and 0.3 to 0.6 with it. */
const CEILING_LIMITS = { cached: 0.2, uncached: 0.05 }

export async function measureStore(store: StoreName, options: BenchOptions): Promise<BenchReport> {
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
  const cases = [...(await allCases(cold, objects)), ...(await rightsCases(cold, objects))]
  await using others = new AsyncDisposableStack()
  const start = async (settings: Readonly<Record<string, string>>) =>
    others.use(await startService(workspace, { store: url, settings }))
  const two = await start({ ...NO_CACHE, OQS_WORKERS: '2' })
  const hot = await start({})
  const bare = others.use(await startBareServer(workspace, cold, url))
  const beside = besideCases(cases, { hot, two, bare }, objects)
  const samples = await measureCases([...beside, ...cases], options)
  report(toMarkdown(caseTable(samples)))
  const ceiling = await measureShares(workspace, { bare, hot, cold }, options.ceiling)
  report(ceiling.text)
  await others.disposeAsync()
  const readers = await measureNewService(workspace, url)
  report(readers.text)

  const past = await casesOf(cold, { ...SNAPSHOT, name: PAST_SNAPSHOT }, objects)
  await updateParts(cold, objects)
  const current = await casesOf(cold, { ...LIST, name: AFTER_UPDATES, ranges: ['deep'] }, objects)
  const later = await measureCases([...past, ...current], { ...options, warmUpMs: 0 })
  report(toMarkdown(caseTable(later)))
  const marks = [
    ...ratioMarks(new Map([...samples, ...later]), store),
    ...(store === 'SQLite' ? ceiling.marks : []),
    ...readers.marks,
  ].map((mark) => ({ ...mark, name: `${store}: ${mark.name}` }))
  return { text: parts.join('\n\n'), marks }
}

async function startBareServer(
  workspace: Workspace,
  service: MeasuredServer,
  store: string,
): Promise<MeasuredServer> {
  const page = join(workspace.folder, 'page.json')
  writeFileSync(page, await readBody(service, listPages()(1000)))
  return startServer(workspace, { file: process.execPath, args: [BARE_SERVER, page, store] })
}

type Servers<Name extends string> = Readonly<Record<Name, MeasuredServer>>

/** Cases of the other servers, which the cases of the service are compared with. */
function besideCases(
  cases: readonly Case[],
  { hot, two, bare }: Servers<'hot' | 'two' | 'bare'>,
  objects: number,
): readonly Case[] {
  return PAGE_SIZES.flatMap((pageSize) => {
    const spread = caseName('list', 'spread', pageSize)
    const calls = cases.find(({ name }) => name === spread)?.calls ?? []
    const bareCalls = offsetsOf('spread', objects, pageSize).map((offset) => ({
      method: 'GET',
      path: `/store/${pageSize}/${offset === 0 ? '' : partNumber(offset - 1)}`,
    }))
    return [
      { name: caseName(BARE_STORE, 'spread', pageSize), server: bare, calls: bareCalls },
      { name: caseName(HOT, 'first', pageSize), server: hot, calls: [listPages()(pageSize)] },
      { name: caseName(TWO_WORKERS, 'spread', pageSize), server: two, calls },
    ]
  })
}

async function measureShares(
  workspace: Workspace,
  { bare, hot, cold }: Servers<'bare' | 'hot' | 'cold'>,
  options: CeilingOptions,
): Promise<BenchReport> {
  const constant = [{ method: 'GET', path: '/constant' }]
  // First pages with different sizes: each is read from the store.
  const uncached = Array.from({ length: 20 }, (_, n) => listPages()(981 + n))
  const servers = [
    { name: 'ceiling: a constant page', server: bare, calls: constant },
    { name: 'service, cached page', server: hot, calls: [listPages()(1000)] },
    { name: 'service, uncached pages', server: cold, calls: uncached },
  ]
  const report = await measureCeiling(workspace, servers, options)
  const [, hotShare = Number.NaN, coldShare = Number.NaN] = report?.shares ?? []
  return {
    text: report ? toMarkdown(report.table) : MISSING_WRK,
    marks: [
      atLeast(CEILING_LIMITS.cached, 'cached page / ceiling, req/s', hotShare),
      atLeast(CEILING_LIMITS.uncached, 'uncached page / ceiling, req/s', coldShare),
    ],
  }
}

/** Starts a new process, because earlier requests would count for its memory. */
async function measureNewService(workspace: Workspace, store: string): Promise<BenchReport> {
  await using service = await startService(workspace, { store })
  const { seconds, megabytes, result } = await measureReaders(service)
  const figures = [seconds.toFixed(1), count(result / seconds), count(megabytes)]
  return {
    text: toMarkdown([
      ['Memory of the service', 'seconds', 'pages/s', 'private MB', 'peak RSS MB'],
      ['32 readers walk through all objects', ...figures, count(peakMegabytes(service.pid))],
    ]),
    marks: [atMost(READERS_LIMIT_MB, 'private MB with 32 readers', megabytes)],
  }
}
