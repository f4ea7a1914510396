/** What the explorer costs a browser, and its build. */
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openBrowser } from '../../test/support/browser.ts'
import type { Part } from '../measure/command.ts'
import { atMost, type Mark, showProgress, toMarkdown } from '../measure/report.ts'
import type { Workbench } from '../measure/workbench.ts'
import { loadItems } from '../overload/dataset.ts'
import { measurePage, type PageCosts } from './page-costs.ts'

/** The name and the limit of each cost. */
const BUDGETS: Readonly<
  Record<keyof PageCosts | 'buildCpuSeconds' | 'buildMb' | 'buildSeconds', [string, number]>
> = {
  firstLoadKb: ['files of the first load, compressed, kB', 215],
  heapMb: ['JavaScript heap after all rows, MB', 20],
  pagesMb: ['bytes of pages in memory, MB', 64 * 1.048576],
  domRows: ['rows in the document', 80],
  frameMs: ['main thread for a frame of scrolling, ms', 8],
  pagesReadAgain: ['pages read again on the way back', 0],
  mapMs: ['main thread for a redraw of the map, ms', 16],
  buildCpuSeconds: ['CPU time of the build, s', 6],
  buildMb: ['memory of the build, MB', 500],
  // Wall-clock times, which a busy machine exceeds: they are reported only.
  firstRowMs: ['first row, ms (1,000)', Number.POSITIVE_INFINITY],
  buildSeconds: ['build, s (3)', Number.POSITIVE_INFINITY],
  slowFrames: ['frames over 34 ms, % (5)', Number.POSITIVE_INFINITY],
}

export const explorer: Part<{ readonly rows: number }> = {
  about: `Builds the explorer, opens it in Chromium, reads rows down and back, moves the map, and compares
bytes, memory and CPU time with budgets. Wall-clock times are only reported, with their goals.`,
  full: { rows: 100_000 },
  quick: { rows: 2000 },
  least: { rows: 2000 },
  stores: ['SQLite'],
  async run({ bench, numbers: { rows }, print }) {
    const build = await measureBuild(bench)
    const service = await bench.startService()
    await loadItems(service, rows)
    const browser = await openBrowser()
    try {
      const costs = { ...(await measurePage(browser, service, rows)), ...build }
      const marks = Object.entries(BUDGETS).map(
        ([cost, [name, limit]]): Mark => atMost(limit, name, costs[cost as keyof typeof costs]),
      )
      const isReported = ({ limit }: Mark) => limit === Number.POSITIVE_INFINITY
      const reported = marks.filter(isReported).map(({ name, value }) => [name, value.toFixed(1)])
      print(toMarkdown([['Reported only', 'measured'], ...reported]))
      return marks.filter((mark) => !isReported(mark))
    } finally {
      await browser.close()
    }
  },
}

async function measureBuild(bench: Workbench) {
  showProgress('building the explorer')
  // Without its stamp the script builds even if no source has changed.
  rmSync(new URL('../../dist/explorer/stamp', import.meta.url), { force: true })
  const script = fileURLToPath(new URL('../build-explorer.ts', import.meta.url))
  const { seconds, cpuMicros, megabytes } = await bench.runProgram({
    file: process.execPath,
    args: [script],
  })
  return { buildSeconds: seconds, buildCpuSeconds: cpuMicros / 1e6, buildMb: megabytes }
}
