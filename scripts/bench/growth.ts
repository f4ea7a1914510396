/** How costs grow with the number of objects. */
import { statSync } from 'node:fs'
import type { Part } from '../measure/command.ts'
import { compareSides, type RoundOptions, type Side } from '../measure/compare.ts'
import { allCases } from '../measure/pages.ts'
import { loadParts } from '../measure/parts.ts'
import { atMost, count, median, showProgress, toMarkdown } from '../measure/report.ts'
import { NO_CACHE } from '../measure/workbench.ts'
import { measureReaders } from './pages.ts'

interface GrowthNumbers extends RoundOptions {
  /** The number of objects in the largest store. */
  readonly objects: number
  /** How often each service is started. */
  readonly starts: number
  readonly pagesPerReader: number
}

const SHARES = [0.1, 0.3, 1]
/** How much more plain pages may cost in the largest store than in the smallest. */
const PAGE_LIMIT = 1.3

export const growth: Part<GrowthNumbers> = {
  about: `Loads SQLite stores with a tenth, a third and all of the objects, starts the service on all of
them, and measures how costs grow: import, file, start-up, memory, pages, queries. The cases are
those of the pages. The first page of a filtered query counts its matches, and so grows with them.
About 60 minutes and 32 GB; a quick run 2 minutes and 1 GB.`,
  full: {
    objects: 10_000_000,
    rounds: 12,
    sliceMs: 200,
    warmUpMs: 20_000,
    starts: 5,
    pagesPerReader: 100,
  },
  quick: { objects: 100_000, rounds: 4, sliceMs: 40, warmUpMs: 500, starts: 1, pagesPerReader: 5 },
  stores: ['SQLite'],
  async run({ bench, numbers, print }) {
    const sides: Side[] = []
    const rows: string[][] = []
    for (const objects of SHARES.map((share) => Math.round(share * numbers.objects))) {
      const store = await bench.createStore('growth')
      const service = await bench.startService({ store, settings: NO_CACHE })
      const { seconds, cpuMicros } = await loadParts(bench, service, objects)
      const fileBytes = statSync(store.slice('sqlite:'.length)).size
      const startMs: number[] = []
      for (let start = 0; start < numbers.starts; start += 1) {
        await using other = await bench.startService({ store })
        startMs.push(other.startMs)
      }
      const { megabytes } = await measureReaders(service, numbers.pagesPerReader)
      const perObject = [cpuMicros / objects, fileBytes / objects]
      const figures = [objects / seconds, ...perObject, median(startMs), megabytes]
      rows.push([count(objects), ...figures.map((figure) => count(figure))])
      showProgress(`collecting page tokens of ${count(objects)} objects`)
      sides.push({ name: count(objects), cases: await allCases(service, objects) })
    }
    const header = ['import/s', 'import CPU µs', 'file bytes', 'start ms', 'MB with 32 readers']
    print(toMarkdown([['Objects', ...header], ...rows]))
    print('import CPU and file bytes are per object; MB is private memory of the service.')
    const { table, mean } = await compareSides(sides, numbers)
    print(toMarkdown(table))
    const isPlain = (name: string) => /^(list|snapshot),/.test(name)
    const ratio = mean(sides.at(-1) as Side, 'CPU', isPlain)
    return [atMost(PAGE_LIMIT, 'plain pages, largest / smallest, mean CPU', ratio)]
  },
}
