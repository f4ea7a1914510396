/** What a page costs: against the bare store, deep pages, queries, rights, readers. */
import { spawnSync } from 'node:child_process'
import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Part, PartContext } from '../measure/command.ts'
import {
  type Case,
  caseTable,
  compareSides,
  measureCases,
  type Ratio,
  type RoundOptions,
  ratioOf,
  type Samples,
  type Side,
} from '../measure/compare.ts'
import {
  allCases,
  caseName,
  casesOf,
  LIST,
  listPages,
  offsetsOf,
  PAGE_SIZES,
  SNAPSHOT,
  walkPages,
} from '../measure/pages.ts'
import {
  administer,
  createCaller,
  loadParts,
  makePart,
  OBJECT_TYPE,
  ONTOLOGY,
  PART_OBJECTS,
  partNumber,
  writeChanges,
} from '../measure/parts.ts'
import { measureCost } from '../measure/processes.ts'
import { atLeast, atMost, count, type Mark, showProgress, toMarkdown } from '../measure/report.ts'
import {
  type MeasuredServer,
  NO_CACHE,
  type Service,
  type StoreName,
  THIS_CHECKOUT,
  type Workbench,
} from '../measure/workbench.ts'

const BARE_SERVER = fileURLToPath(new URL('./bare-server.ts', import.meta.url))
const READERS = 32
const READERS_LIMIT_MB = 250
/** Every fifth object is updated, so that every page contains updated objects. */
const UPDATED_EVERY = 5
/** Limits of the mean over all cases; single cases vary more from run to run. */
const AGAINST_LIMITS = { CPU: 1.1, p50: 1.15 } as const

const BARE_STORE = 'bare store'
const TWO_WORKERS = 'list with two workers'
const HOT = 'list from the page cache'
const AFTER_UPDATES = 'list after updates'
const PAST_SNAPSHOT = 'snapshot before updates'
const WITH_RULE = 'list with a rule on an indexed property'

const NEAR_1000 = caseName('list', 'near', 1000)
const SPREAD_1000 = caseName('list', 'spread', 1000)
const BARE_1000 = caseName(BARE_STORE, 'spread', 1000)
const UNION = 'union of two filters'
const EQUALITY = caseName('equality, 1 in 7', 'next', 100)

const both = (limit: number) => ({ SQLite: limit, PostgreSQL: limit })

/**
 * Marks: two cases, what is compared, and limits by store; a store without one is not judged. Limits
 * are about half as wide again as the spread of repeated runs on two shared cores.
 */
const RATIO_MARKS: readonly (readonly [
  of: string,
  to: string,
  measure: keyof Ratio,
  limits: Readonly<Partial<Record<StoreName, number>>>,
])[] = [
  [SPREAD_1000, BARE_1000, 'CPU', { SQLite: 1.5 }],
  [caseName('list', 'spread', 100), caseName(BARE_STORE, 'spread', 100), 'CPU', { SQLite: 2.5 }],
  [caseName(HOT, 'first', 1000), BARE_1000, 'CPU', { SQLite: 0.3 }],
  [caseName('list', 'deep', 1000), NEAR_1000, 'p50', both(1.5)],
  [EQUALITY, caseName('list', 'near', 100), 'p50', both(6)],
  [caseName(UNION, 'next', 1000), NEAR_1000, 'p50', both(5)],
  [caseName(UNION, 'deep', 1000), NEAR_1000, 'p50', both(5)],
  [caseName(PAST_SNAPSHOT, 'deep', 1000), caseName(AFTER_UPDATES, 'deep', 1000), 'p50', both(1.6)],
  // What the rights of a caller add to the query that the rule amounts to.
  [caseName(WITH_RULE, 'next', 100), EQUALITY, 'CPU', both(1.5)],
  // On PostgreSQL the database shares the cores with the workers.
  [caseName(TWO_WORKERS, 'spread', 1000), SPREAD_1000, 'req/s', { SQLite: 1.2 }],
]

interface PageNumbers extends RoundOptions {
  readonly objects: number
}

export const pages: Part<PageNumbers> = {
  about: `What a page costs: plain pages, on SQLite against the bare store, deep pages, snapshots, queries, callers with policies, the page cache, two workers, updated objects, and memory with ${READERS}
readers. With --against, the ratios to the service of another checkout, with the CPU time of the
database. About 20 minutes and 6 GB; a quick run 2 minutes and 1 GB.`,
  full: { objects: 1_000_000, rounds: 12, sliceMs: 200, warmUpMs: 40_000 },
  quick: { objects: 30_000, rounds: 4, sliceMs: 40, warmUpMs: 500 },
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
  const { url, cold, hot, cost, cases } = await prepare(bench, objects)
  const rate = `${count(objects)} objects in ${cost.seconds.toFixed(1)} s`
  print(`\`oqs import --replace\` loaded ${rate} (${count(objects / cost.seconds)} per second).`)
  const others = await startOthers(bench, store, url, cases, objects)
  const rights = await rightsCases(cold, objects)
  const samples = await measureCases([...others, ...cases, ...rights], numbers)
  print(toMarkdown(caseTable(samples)))
  for (const { server } of others) await server[Symbol.asyncDispose]()
  await hot[Symbol.asyncDispose]()
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
  return [...ratioMarks(new Map([...samples, ...later]), store), readerMark]
}

function ratioMarks(samples: Samples, store: StoreName): readonly Mark[] {
  const find = (name: string) => [...samples].find(([each]) => each.name === name)?.[1]
  return RATIO_MARKS.flatMap(([of, to, measure, { [store]: limit }]) => {
    if (limit === undefined) return []
    const judge = measure === 'req/s' ? atLeast : atMost
    const ratio = ratioOf(find(of), find(to))[measure]
    return [judge(limit, `${store}: ${of} / ${to}, ${measure}`, ratio)]
  })
}

/**
 * Loads a store, which is that of another checkout because the format may have changed, and starts
 * services with and without a page cache on it.
 */
async function prepare(bench: Workbench, objects: number, checkout = THIS_CHECKOUT) {
  const url = await bench.createStore('pages')
  const cold = await bench.startService({ store: url, checkout, settings: NO_CACHE })
  const cost = await loadParts(bench, cold, objects)
  const hot = await bench.startService({ store: url, checkout })
  const hotCases = PAGE_SIZES.map((pageSize) => ({
    name: caseName(HOT, 'first', pageSize),
    server: hot,
    calls: [listPages()(pageSize)],
  }))
  showProgress('collecting page tokens')
  return { url, cold, hot, cost, cases: [...hotCases, ...(await allCases(cold, objects))] }
}

/** Starts a service with two workers, and the bare store on SQLite. Returns their cases. */
async function startOthers(
  bench: Workbench,
  storeName: StoreName,
  store: string,
  cases: readonly Case[],
  objects: number,
) {
  const settings = { ...NO_CACHE, OQS_WORKERS: '2' }
  const two = await bench.startService({ store, settings })
  const bare =
    storeName === 'SQLite' &&
    (await bench.startServer({ args: [BARE_SERVER, store.slice('sqlite:'.length)] }))
  return PAGE_SIZES.flatMap((pageSize) => {
    const spread = caseName('list', 'spread', pageSize)
    const calls = cases.find(({ name }) => name === spread)?.calls ?? []
    const bareCalls = offsetsOf('spread', objects, pageSize).map((offset) => ({
      method: 'GET',
      path: `/${pageSize}/${offset === 0 ? '' : partNumber(offset - 1)}`,
    }))
    return [
      { name: caseName(TWO_WORKERS, 'spread', pageSize), server: two, calls },
      ...(bare
        ? [{ name: caseName(BARE_STORE, 'spread', pageSize), server: bare, calls: bareCalls }]
        : []),
    ]
  })
}

const RULE = { where: { type: 'eq', field: 'category', value: 'rotor' } }
const HIDDEN = { hide: ['revision'] }
/** What each caller may see, and which share of the objects that is. Without rights: everything. */
const CALLERS = [
  { name: 'list with a token', rights: undefined, share: 1 },
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
    const headers = await createCaller(service, name, ...(rights ? [policy] : []))
    // Pages from the second on, because the first one also counts.
    const query = { name, pages: listPages(), ranges: ['next'] as const, share }
    cases.push(...(await casesOf({ ...service, headers }, query, objects)))
  }
  return cases
}

/** Starts a new process, because earlier requests would count for its memory. */
async function measureMemory(
  { bench, store: storeName, print }: PartContext<PageNumbers>,
  store: string,
): Promise<Mark> {
  await using service = await bench.startService({ store })
  const { seconds, megabytes, result } = await measureReaders(service)
  const figures = [seconds.toFixed(1), count(result / seconds), count(megabytes)]
  print(
    toMarkdown([
      ['Memory of the service', 'seconds', 'pages/s', 'private MB'],
      [`${READERS} readers walk through all objects`, ...figures],
    ]),
  )
  const name = `${storeName}: private MB with ${READERS} readers`
  return atMost(READERS_LIMIT_MB, name, megabytes)
}

/** Measures the service while readers walk at once, each to the end or through some pages. */
export function measureReaders(service: MeasuredServer, maxPages = Infinity) {
  showProgress(`${READERS} readers walk`)
  return measureCost([service.pid], async () => {
    const walk = () => walkPages(service, listPages(), { maxPages })
    return (await Promise.all(Array.from({ length: READERS }, walk))).reduce((a, b) => a + b)
  })
}

/** Runs the same cases against the service of another checkout. CPU times include the database. */
async function measureAgainst(
  { store, bench, numbers, print }: PartContext<PageNumbers>,
  otherCheckout: string,
): Promise<readonly Mark[]> {
  const { objects } = numbers
  const imports: string[] = []
  const sideOf = async (name: string, checkout: string): Promise<Side> => {
    const { cost, cases } = await prepare(bench, objects, checkout)
    imports.push(`${name} ${count(cost.cpuMicros / objects)} µs`)
    return { name, cases: cases.map((each) => ({ ...each, databasePid: bench.databasePid })) }
  }
  const other = await sideOf('other', otherCheckout)
  const own = await sideOf('this', THIS_CHECKOUT)
  const { table, mean } = await compareSides([other, own], numbers)
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%h %s'], { cwd: otherCheckout })
  print(`## ${store}: this checkout / ${String(stdout).trim() || basename(resolve(otherCheckout))}`)
  print(toMarkdown(table))
  print(`CPU per imported object: ${imports.join(', ')}.`)
  return (['CPU', 'p50'] as const).map((measure) =>
    atMost(
      AGAINST_LIMITS[measure],
      `${store}: mean ${measure} ratio to the other`,
      mean(own, measure),
    ),
  )
}
