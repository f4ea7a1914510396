/** What a page costs: against the bare store and the ceiling, deep pages, queries, rights, readers. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { allCases, caseName, casesOf, LIST, PAGE_SIZES, SNAPSHOT } from '../measure/cases.ts'
import type { Part, PartContext } from '../measure/command.ts'
import { readBody } from '../measure/connection.ts'
import {
  administer,
  loadParts,
  makePart,
  OBJECT_TYPE,
  ONTOLOGY,
  PART_OBJECTS,
  partNumber,
  writeChanges,
} from '../measure/parts.ts'
import { peakMegabytes } from '../measure/process-stats.ts'
import { atLeast, atMost, count, type Mark, showProgress, toMarkdown } from '../measure/report.ts'
import { type Case, measureCases } from '../measure/rounds.ts'
import { caseTable } from '../measure/sides.ts'
import { listPages, measureReaders, offsetsOf } from '../measure/walk.ts'
import {
  type MeasuredServer,
  NO_CACHE,
  type Service,
  type Workbench,
} from '../measure/workbench.ts'
import { measureAgainst } from './against.ts'
import { MISSING_WRK, measureCeiling } from './ceiling.ts'
import {
  AFTER_UPDATES,
  BARE_STORE,
  HOT,
  PAST_SNAPSHOT,
  ratioMarks,
  TWO_WORKERS,
  WITH_RULE,
  WITHOUT_POLICY,
} from './page-marks.ts'

const BARE_SERVER = fileURLToPath(new URL('./bare-server.ts', import.meta.url))
const READERS_LIMIT_MB = 250
/** On two cores the shares were 0.09 to 0.17 without the page cache and 0.3 to 0.6 with it. */
const CEILING_LIMITS = { cached: 0.2, uncached: 0.05 }
/** Every fifth object is updated, so that every page contains updated objects. */
const UPDATED_EVERY = 5

export interface PageNumbers {
  readonly objects: number
  /** Rounds in which every case is measured once. */
  readonly rounds: number
  readonly sliceMs: number
  readonly warmUpMs: number
  readonly ceilingRounds: number
  readonly ceilingSeconds: number
}

export const pages: Part<PageNumbers> = {
  about: `What a page costs: plain pages against the bare store and the ceiling, deep pages, snapshots,
queries, callers with policies, the page cache, two workers, updated objects, and memory with 32
readers. With --against, the ratios to the service of another checkout, with the CPU time of the
database. The ceiling needs wrk. About 20 minutes and 6 GB; a quick run 2 minutes and 1 GB.`,
  full: {
    objects: 1_000_000,
    rounds: 12,
    sliceMs: 200,
    warmUpMs: 40_000,
    ceilingRounds: 5,
    ceilingSeconds: 3,
  },
  quick: {
    objects: 30_000,
    rounds: 4,
    sliceMs: 40,
    warmUpMs: 500,
    ceilingRounds: 1,
    ceilingSeconds: 1,
  },
  // With fewer objects some queries have no two full pages.
  least: { objects: 20_000, rounds: 1 },
  // Rows with two versions, their indexes, and room for sorting.
  bytesPerObject: 4000,
  run: (context) =>
    context.texts['against'] === undefined
      ? measurePages(context)
      : measureAgainst(context, context.texts['against']),
}

async function measurePages(context: PartContext<PageNumbers>): Promise<readonly Mark[]> {
  const { store, bench, numbers, print } = context
  const { objects } = numbers
  print(`## ${store}`)
  print(
    `${count(objects)} objects, ${numbers.rounds} rounds of ${numbers.sliceMs} ms per case, 4 requests in flight.`,
  )
  const url = await bench.createStore('bench')
  const cold = await bench.startService({ store: url, settings: NO_CACHE })
  const { seconds } = await loadParts(bench, cold, objects)
  const rate = `${count(objects)} objects in ${seconds.toFixed(1)} s`
  print(`\`oqs import --replace\` loaded ${rate} (${count(objects / seconds)} per second).`)

  showProgress('collecting page tokens')
  const cases = [...(await allCases(cold, objects)), ...(await rightsCases(cold, objects))]
  const others = [
    await bench.startService({ store: url, settings: { ...NO_CACHE, OQS_WORKERS: '2' } }),
    await bench.startService({ store: url }),
    await startBareServer(bench, cold, url),
  ] as const
  const [two, hot, bare] = others
  const beside = besideCases(cases, { hot, two, bare }, objects)
  const samples = await measureCases([...beside, ...cases], numbers)
  print(toMarkdown(caseTable(samples)))
  const ceilingMarks = await measureShares(context, { bare, hot, cold })
  for (const server of others) await server[Symbol.asyncDispose]()
  const readerMark = await measureMemory(context, url)

  const past = await casesOf(cold, { ...SNAPSHOT, name: PAST_SNAPSHOT }, objects)
  showProgress('updating objects')
  const updated = Array.from({ length: Math.ceil(objects / UPDATED_EVERY) }, (_, n) => ({
    put: makePart(n * UPDATED_EVERY, 1),
  }))
  await writeChanges(cold, PART_OBJECTS, updated)
  const current = await casesOf(cold, { ...LIST, name: AFTER_UPDATES, ranges: ['deep'] }, objects)
  const later = await measureCases([...past, ...current], { ...numbers, warmUpMs: 0 })
  print(toMarkdown(caseTable(later)))
  const marks = [
    ...ratioMarks(new Map([...samples, ...later]), store),
    ...(store === 'SQLite' ? ceilingMarks : []),
    readerMark,
  ]
  return marks.map((mark) => ({ ...mark, name: `${store}: ${mark.name}` }))
}

async function startBareServer(
  bench: Workbench,
  service: MeasuredServer,
  store: string,
): Promise<MeasuredServer> {
  const page = join(bench.folder, 'page.json')
  writeFileSync(page, await readBody(service, listPages()(1000)))
  return bench.startServer({ file: process.execPath, args: [BARE_SERVER, page, store] })
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

const RULE = { where: { type: 'eq', field: 'category', value: 'rotor' } }
const HIDDEN = { hide: ['revision'] }
/** What each caller may see, and which share of the objects that is. Without rights: everything. */
const CALLERS = [
  { name: WITHOUT_POLICY, rights: undefined, share: 1 },
  { name: WITH_RULE, rights: RULE, share: 1 / 7 },
  { name: 'list with a hidden property', rights: HIDDEN, share: 1 },
  { name: 'list with both', rights: { ...RULE, ...HIDDEN }, share: 1 / 7 },
]

/** Lists of callers whose policies hide objects or properties. */
async function rightsCases(service: Service, objects: number): Promise<readonly Case[]> {
  const cases: Case[] = []
  for (const { name, rights, share } of CALLERS) {
    const policy = name.replaceAll(' ', '-')
    const right = { ontology: ONTOLOGY, objectType: OBJECT_TYPE, access: 'read', ...rights }
    if (rights) await administer(service, 'PUT', `policies/${policy}`, { rights: [right] })
    const limits = rights && { policies: [policy] }
    const created = await administer(service, 'POST', 'tokens', { name, ...limits })
    const { token } = created as { readonly token: string }
    const caller = { ...service, headers: { authorization: `Bearer ${token}` } }
    // Pages from the second on, because the first one also counts.
    const query = { name, pages: listPages(), ranges: ['next'] as const, share }
    cases.push(...(await casesOf(caller, query, objects)))
  }
  return cases
}

async function measureShares(
  { bench, numbers, print }: PartContext<PageNumbers>,
  { bare, hot, cold }: Servers<'bare' | 'hot' | 'cold'>,
): Promise<readonly Mark[]> {
  // First pages with different sizes: each is read from the store.
  const uncached = Array.from({ length: 20 }, (_, n) => listPages()(981 + n))
  const servers = [
    {
      name: 'ceiling: a constant page',
      server: bare,
      calls: [{ method: 'GET', path: '/constant' }],
    },
    { name: 'service, cached page', server: hot, calls: [listPages()(1000)] },
    { name: 'service, uncached pages', server: cold, calls: uncached },
  ]
  const report = await measureCeiling(bench.folder, servers, numbers)
  print(report ? toMarkdown(report.table) : MISSING_WRK)
  const [, hotShare = Number.NaN, coldShare = Number.NaN] = report?.shares ?? []
  return [
    atLeast(CEILING_LIMITS.cached, 'cached page / ceiling, req/s', hotShare),
    atLeast(CEILING_LIMITS.uncached, 'uncached page / ceiling, req/s', coldShare),
  ]
}

/** Starts a new process, because earlier requests would count for its memory. */
async function measureMemory(
  { bench, print }: PartContext<PageNumbers>,
  store: string,
): Promise<Mark> {
  await using service = await bench.startService({ store })
  const { seconds, megabytes, result } = await measureReaders(service)
  const figures = [seconds.toFixed(1), count(result / seconds), count(megabytes)]
  print(
    toMarkdown([
      ['Memory of the service', 'seconds', 'pages/s', 'private MB', 'peak RSS MB'],
      ['32 readers walk through all objects', ...figures, count(peakMegabytes(service.pid))],
    ]),
  )
  return atMost(READERS_LIMIT_MB, 'private MB with 32 readers', megabytes)
}
