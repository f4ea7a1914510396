/** Measures how costs grow with the number of objects; see the help. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { FLAG, runScript, TEXT, wholeNumber } from './measure/command-line.ts'
import { isMet, type Mark, markTable } from './measure/marks.ts'
import { watchMemory } from './measure/process-stats.ts'
import { print, showProgress } from './measure/progress.ts'
import {
  type Case,
  measureCases,
  type RoundOptions,
  ratioOf,
  type Samples,
  summarise,
} from './measure/rounds.ts'
import {
  type ImportReport,
  loadParts,
  NO_CACHE,
  type Service,
  startService,
  updateParts,
} from './measure/service.ts'
import { median } from './measure/statistics.ts'
import { count, type Table, toMarkdown } from './measure/table.ts'
import {
  collectTokens,
  familySearchPages,
  getObject,
  listPages,
  type Pages,
  walkPages,
} from './measure/walk.ts'
import { openWorkspace, requireDiskSpace, type Workspace } from './measure/workspace.ts'

interface GrowthOptions extends RoundOptions {
  /** Numbers of objects, ascending. */
  readonly sizes: readonly number[]
  /** How often each service is started. */
  readonly starts: number
  /** Pages that each of 32 readers reads while memory is measured. */
  readonly pagesPerReader: number
}

const FULL: GrowthOptions = {
  sizes: [1_000_000, 3_000_000, 10_000_000],
  rounds: 24,
  sliceMs: 200,
  warmUpMs: 10_000,
  starts: 5,
  pagesPerReader: 100,
}
const QUICK: GrowthOptions = {
  sizes: [10_000, 30_000, 100_000],
  rounds: 5,
  sliceMs: 50,
  warmUpMs: 500,
  starts: 1,
  pagesPerReader: 5,
}
/** With fewer objects there is no deep page of 1,000 that has a next page. */
const OBJECTS_MIN = 5000
/** How much more a page may cost in the largest store than in the smallest. */
const PAGE_LIMIT = 1.3
/** The file has about 1,500 bytes per object; sorting an index needs the rest for a while. */
const BYTES_PER_OBJECT = 2200
const READERS = 32
const SPREAD_PAGES = 256
const LOOKUPS = 1009

const HELP = `Usage: npm run growth -- [options]

Loads a SQLite store of each size, starts the service on all of them, and measures how costs grow:
import, file, start-up, pages, queries, memory. The sizes are measured in turn, so that a
disturbance affects all of them. The first page of a filtered list counts its matches, and so grows
with them. Prints Markdown; each figure is followed by its ratio to the smallest store.

A full run takes about 40 minutes and 32 GB in TMPDIR. Everything is removed afterwards. The exit
status is 0, 1 when a page costs more than ${PAGE_LIMIT} times as much as in the smallest store, or 2 when
the run fails. A quick run judges nothing.

  --objects N,N,…   numbers of objects (${FULL.sizes.join(',')}; each at least ${OBJECTS_MIN})
  --rounds N        rounds in which every case is measured once (${FULL.rounds})
  --quick           ${QUICK.sizes.join(',')} objects and ${QUICK.rounds} short rounds: about a minute, 1 GB
  --help            this text`

await runScript({
  name: 'growth',
  help: HELP,
  options: { objects: TEXT, rounds: TEXT, quick: FLAG },
  async run({ objects, rounds, quick }) {
    const usual = quick ? QUICK : FULL
    const sizes = objects
      ?.split(',')
      .map((text) => wholeNumber('--objects', text, { min: OBJECTS_MIN, usual: OBJECTS_MIN }))
    const marks = await measureGrowth({
      ...usual,
      sizes: sizes?.toSorted((a, b) => a - b) ?? usual.sizes,
      rounds: wholeNumber('--rounds', rounds, { min: 1, usual: usual.rounds }),
    })
    if (quick) {
      print('\nThe rounds of a quick run are too short to judge marks.')
      return true
    }
    print(`\n${toMarkdown(markTable(marks))}`)
    return marks.every(isMet)
  },
})

/** A service on a store of one size. */
interface SizedService {
  readonly objects: number
  readonly service: Service
  readonly imported: ImportReport
  readonly fileBytes: number
  readonly cases: readonly Case[]
}

async function measureGrowth(options: GrowthOptions): Promise<readonly Mark[]> {
  const { sizes } = options
  using workspace = openWorkspace()
  requireDiskSpace(workspace, 1e9 + BYTES_PER_OBJECT * sizes.reduce((sum, size) => sum + size, 0))
  await using running = new AsyncDisposableStack()
  const sized: SizedService[] = []
  for (const objects of sizes) {
    const file = join(workspace.folder, `${objects}.db`)
    const options = { store: `sqlite:${file}`, settings: NO_CACHE }
    const service = running.use(await startService(workspace, options))
    const imported = await loadParts(workspace, service, objects)
    const fileBytes = statSync(file).size
    sized.push({ objects, service, imported, fileBytes, cases: await casesOf(service, objects) })
  }
  const startMs = await measureStarts(workspace, options)
  // The sizes of one case follow each other closely, because they are compared.
  const [smallest] = sized
  const byName = (smallest?.cases ?? []).map((_, index) =>
    sized.flatMap(({ cases }) => cases[index] ?? []),
  )
  const samples = await measureCases(byName.flat(), options)
  const memory: number[] = []
  for (const { service } of sized) memory.push(await measureReaders(service, options))

  const header = sizes.flatMap((size, index) => [`${count(size)}`, ...(index === 0 ? [] : ['×'])])
  const figures = (name: string, value: (each: SizedService) => number) =>
    figureRow(name, sized.map(value))
  const table: Table = [
    ['Objects', ...header],
    figures('import, objects/s', ({ objects, imported }) => objects / imported.seconds),
    figures(
      'import, CPU µs per object',
      ({ objects, imported }) => (imported.cpuMicros ?? Number.NaN) / objects,
    ),
    figures('import, private MB of the service', ({ imported }) => imported.serviceMegabytes),
    figures('file, MB', ({ fileBytes }) => fileBytes / 1e6),
    figures('file, bytes per object', ({ fileBytes, objects }) => fileBytes / objects),
    figureRow('start until it listens, ms', startMs),
    figureRow(`private MB with ${READERS} readers`, memory),
    ...byName.map((cases) => caseRow(cases, samples)),
  ]
  print(`\n${toMarkdown(table)}`)
  return byName.flatMap((cases) => {
    const [base, largest] = [cases[0], cases.at(-1)]
    if (base === undefined || largest === undefined || !base.name.startsWith('page of')) return []
    const value = ratioOf(samples.get(largest), samples.get(base)).CPU
    return [{ name: `${base.name}, largest / smallest, CPU`, value, bound: '≤', limit: PAGE_LIMIT }]
  })
}

async function casesOf(server: Service, objects: number): Promise<readonly Case[]> {
  showProgress(`collecting page tokens of ${count(objects)} objects`)
  const list = listPages()
  const snapshot = listPages({ snapshot: 'true' })
  const snapshotTokens = await spreadTokens(server, snapshot, objects)
  // From here on the snapshot is a past version.
  await updateParts(server, objects, [1])
  const tokens = await spreadTokens(server, list, objects)
  const range = listPages({ 'p.weight.gte': '600', orderBy: 'p.weight' })
  const rangeTokens = await collectTokens(
    server,
    { pages: range, maxPageSize: 100, objects },
    [100],
  )
  const numbers = Array.from({ length: LOOKUPS }, (_, n) => Math.floor((n * objects) / LOOKUPS))
  const pages = [100, 1000].flatMap((size) => {
    const name = `page of ${count(size)}`
    return [
      { name: `${name}, first`, server, calls: [list(size)] },
      { name: `${name}, last`, server, calls: [list(size, tokens.at(-1))] },
      { name: `${name}, spread`, server, calls: tokens.map((token) => list(size, token)) },
      {
        name: `${name}, snapshot, spread`,
        server,
        calls: snapshotTokens.map((token) => snapshot(size, token)),
      },
    ]
  })
  const equality = familySearchPages({ type: 'eq', field: 'category', value: 'rotor' })
  const keyword = familySearchPages({ type: 'keyword', query: 'rotor 2s1' })
  return [
    ...pages,
    { name: 'get by key', server, calls: numbers.map(getObject) },
    { name: 'equality, 1 in 7, page 1', server, calls: [equality(100)] },
    { name: 'range in its own order, page 2', server, calls: [range(100, rangeTokens.get(100))] },
    // The first page counts all matches, which takes seconds in a large store.
    { name: 'range in its own order, page 1', server, calls: [range(100)], concurrency: 1 },
    { name: 'keyword, few matches', server, calls: [keyword(100)] },
  ]
}

/** Returns tokens spread over the walk, the last one before its last full pages. */
async function spreadTokens(
  service: Service,
  pages: Pages,
  objects: number,
): Promise<readonly string[]> {
  const last = Math.floor(objects / 1000) - 2
  const every = Math.ceil(last / SPREAD_PAGES)
  const numbers = Array.from({ length: last }, (_, n) => n + 1)
  const offsets = numbers.filter((n) => n % every === 0 || n === last).map((n) => 1000 * n)
  const tokens = await collectTokens(service, { pages, maxPageSize: 1000, objects }, offsets)
  return [...tokens.values()].filter((token) => token !== undefined)
}

/** Returns the median start time for each size. The services are started in turn. */
async function measureStarts(
  workspace: Workspace,
  { sizes, starts }: GrowthOptions,
): Promise<readonly number[]> {
  const times = sizes.map((): number[] => [])
  for (let start = 1; start <= starts; start++) {
    showProgress(`starting: round ${start} of ${starts}`)
    for (const [index, objects] of sizes.entries()) {
      const store = `sqlite:${join(workspace.folder, `${objects}.db`)}`
      await using service = await startService(workspace, { store })
      times[index]?.push(service.startMs)
    }
  }
  return times.map(median)
}

async function measureReaders(
  service: Service,
  { pagesPerReader }: GrowthOptions,
): Promise<number> {
  showProgress(`${READERS} readers walk`)
  using watch = watchMemory(service.pid)
  const read = () => walkPages(service, listPages(), pagesPerReader)
  await Promise.all(Array.from({ length: READERS }, read))
  return watch.end()
}

function figureRow(name: string, figures: readonly number[]): readonly string[] {
  const [base = Number.NaN] = figures
  return [
    name,
    ...figures.flatMap((figure, index) => [
      count(figure),
      ...(index === 0 ? [] : [(figure / base).toFixed(2)]),
    ]),
  ]
}

function caseRow(cases: readonly Case[], samples: Samples): readonly string[] {
  const [base] = cases
  const ofBase = base === undefined ? [] : samples.get(base)
  return [
    `${base?.name}, CPU µs`,
    ...cases.flatMap((each, index) => {
      const own = samples.get(each) ?? []
      const ratio = ratioOf(own, ofBase).CPU.toFixed(2)
      return [count(summarise(own).cpuMicros), ...(index === 0 ? [] : [ratio])]
    }),
  ]
}
