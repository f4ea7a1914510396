/** Measures how costs grow with the number of objects; see the help. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { allCases } from './measure/cases.ts'
import { FLAG, runScript, TEXT, wholeNumber } from './measure/command-line.ts'
import { atMost, judge, type Mark } from './measure/marks.ts'
import { print, showProgress } from './measure/progress.ts'
import type { RoundOptions } from './measure/rounds.ts'
import { loadParts, NO_CACHE, startService } from './measure/service.ts'
import { compareSides, type Side } from './measure/sides.ts'
import { median } from './measure/statistics.ts'
import { count, toMarkdown } from './measure/table.ts'
import { measureReaders } from './measure/walk.ts'
import { openWorkspace, requireDiskSpace } from './measure/workspace.ts'

interface GrowthOptions extends RoundOptions {
  /** Numbers of objects, ascending. */
  readonly sizes: readonly number[]
  /** How often each service is started. */
  readonly starts: number
  readonly pagesPerReader: number
}

const FULL: GrowthOptions = {
  sizes: [1_000_000, 3_000_000, 10_000_000],
  rounds: 12,
  sliceMs: 200,
  warmUpMs: 20_000,
  starts: 5,
  pagesPerReader: 100,
}
const QUICK: GrowthOptions = {
  sizes: [10_000, 30_000, 100_000],
  rounds: 4,
  sliceMs: 40,
  warmUpMs: 500,
  starts: 1,
  pagesPerReader: 5,
}
/** With fewer objects the walks are too short. */
const OBJECTS_MIN = 10_000
/** How much more plain pages may cost in the largest store than in the smallest. */
const PAGE_LIMIT = 1.3
/** The file has about 1,500 bytes per object; sorting an index needs the rest for a while. */
const BYTES_PER_OBJECT = 2200

const HELP = `Usage: npm run growth -- [options]

Loads a SQLite store of each size, starts the service on all of them, and measures how costs grow:
import, file, start-up, memory, pages, queries. The cases are those of npm run bench. The sizes are
measured in turn, so that a disturbance affects all of them. The first page of a filtered query
counts its matches, and so grows with them. Prints Markdown, with ratios to the smallest store.

A full run takes about 60 minutes and 32 GB in TMPDIR. Everything is removed afterwards. The exit
status is 0, 1 when plain pages cost more than ${PAGE_LIMIT} times as much as in the smallest store, or 2
when the run fails. A quick run judges nothing.

  --objects N,N,…   numbers of objects (${FULL.sizes.join(',')}; each at least ${OBJECTS_MIN})
  --rounds N        rounds in which every case is measured once (${FULL.rounds})
  --quick           ${QUICK.sizes.join(',')} objects and ${QUICK.rounds} short rounds: about 2 minutes, 1 GB
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
    const mark = await measureGrowth({
      ...usual,
      sizes: sizes?.toSorted((a, b) => a - b) ?? usual.sizes,
      rounds: wholeNumber('--rounds', rounds, { min: 1, usual: usual.rounds }),
    })
    return quick || judge([mark])
  },
})

async function measureGrowth(options: GrowthOptions): Promise<Mark> {
  const { sizes, starts, pagesPerReader } = options
  using workspace = openWorkspace()
  requireDiskSpace(workspace, 1e9 + BYTES_PER_OBJECT * sizes.reduce((sum, size) => sum + size, 0))
  await using running = new AsyncDisposableStack()
  const sides: Side[] = []
  const rows: string[][] = []
  for (const objects of sizes) {
    const file = join(workspace.folder, `${objects}.db`)
    const store = `sqlite:${file}`
    const service = running.use(await startService(workspace, { store, settings: NO_CACHE }))
    const { seconds, cpuMicros } = await loadParts(workspace, service, objects)
    const fileBytes = statSync(file).size
    const startMs: number[] = []
    for (let start = 0; start < starts; start += 1) {
      await using other = await startService(workspace, { store })
      startMs.push(other.startMs)
    }
    const { megabytes } = await measureReaders(service, pagesPerReader)
    const perObject = [cpuMicros / objects, fileBytes / objects]
    const figures = [objects / seconds, ...perObject, median(startMs), megabytes]
    rows.push([count(objects), ...figures.map((figure) => count(figure))])
    showProgress(`collecting page tokens of ${count(objects)} objects`)
    sides.push({ name: count(objects), cases: await allCases(service, objects) })
  }
  const header = ['import/s', 'import CPU µs', 'file bytes', 'start ms', 'MB with 32 readers']
  print(`\n${toMarkdown([['Objects', ...header], ...rows])}`)
  print('\nimport CPU and file bytes are per object; MB is private memory of the service.')
  const { table, mean } = await compareSides(sides, options)
  print(`\n${toMarkdown(table)}`)
  const largest = sides.at(-1) as Side
  const isPlain = (name: string) => /^(list|snapshot),/.test(name)
  const name = 'plain pages, largest / smallest, mean CPU'
  return atMost(PAGE_LIMIT, name, mean(largest, 'CPU', isPlain))
}
