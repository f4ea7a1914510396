/** Measures what the explorer costs a browser, and its build; see the help. */
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openBrowser } from '../test/support/browser.ts'
import { measurePage, type PageCosts } from './explorer/page-costs.ts'
import { runScript, TEXT, wholeNumber } from './measure/command-line.ts'
import { print, showProgress } from './measure/progress.ts'
import { runProgram } from './measure/server.ts'
import { startService } from './measure/service.ts'
import { openStores, openWorkspace, type Workspace } from './measure/workspace.ts'
import { loadItems } from './overload/callers.ts'

const ROWS = 100_000

interface Budget {
  readonly name: string
  readonly unit: string
  readonly limit: number
  /** True for wall-clock times, which a busy machine exceeds: they are reported only. */
  readonly isReportedOnly?: boolean
}

type Costs = PageCosts & Awaited<ReturnType<typeof measureBuild>>

const BUDGETS: Readonly<Record<keyof Costs, Budget>> = {
  firstLoadKb: { name: 'files of the first load, compressed', unit: 'kB', limit: 215 },
  firstRowMs: { name: 'first row', unit: 'ms', limit: 1000, isReportedOnly: true },
  heapMb: { name: 'JavaScript heap after all rows', unit: 'MB', limit: 20 },
  pagesMb: { name: 'bytes of pages in memory', unit: 'MB', limit: 64 * 1.048576 },
  domRows: { name: 'rows in the document', unit: '', limit: 80 },
  frameMs: { name: 'main thread for a frame of scrolling', unit: 'ms', limit: 8 },
  slowFrames: { name: 'frames over 34 ms', unit: '%', limit: 5, isReportedOnly: true },
  pagesReadAgain: { name: 'pages read again on the way back', unit: '', limit: 0 },
  mapMs: { name: 'main thread for a redraw of the map', unit: 'ms', limit: 16 },
  buildSeconds: { name: 'build', unit: 's', limit: 3, isReportedOnly: true },
  buildCpuSeconds: { name: 'CPU time of the build', unit: 's', limit: 6 },
  buildMb: { name: 'memory of the build', unit: 'MB', limit: 500 },
}

const HELP = `Usage: npm run explorer:budget -- [options]

Builds the explorer, opens it in Chromium, reads ${ROWS.toLocaleString('en')} rows down and back, moves the map, and
compares the cost with these budgets:

${Object.values(BUDGETS)
  .map(({ name, limit, unit, isReportedOnly }) => {
    const note = isReportedOnly === true ? ' (reported only)' : ''
    return `  ${name}: ${Math.round(limit)} ${unit}`.trimEnd() + note
  })
  .join('\n')}

Bytes, memory and CPU time hold on a busy machine; wall-clock times do not, and are reported only.
Needs Chromium on the PATH or in CHROMIUM_PATH. The exit status is 0, 1 when a budget is exceeded, or
2 when the run fails.

  --rows N          rows to read (default ${ROWS})`

await runScript({
  name: 'explorer:budget',
  help: HELP,
  options: { rows: TEXT },
  run: async (values) => {
    const rows = wholeNumber('--rows', values.rows, { min: 2000, usual: ROWS })
    using workspace = openWorkspace()
    await using stores = await openStores('SQLite', workspace)
    showProgress('building the explorer')
    const build = await measureBuild(workspace)
    await using service = await startService(workspace, { store: await stores.create('budget') })
    await loadItems(service, rows)
    const browser = await openBrowser()
    try {
      return report({ ...(await measurePage(browser, service, rows)), ...build })
    } finally {
      await browser.close()
    }
  },
})

async function measureBuild(workspace: Workspace) {
  // Without its stamp the script builds even if no source has changed.
  rmSync(new URL('../dist/explorer/stamp', import.meta.url), { force: true })
  const script = fileURLToPath(new URL('./build-explorer.ts', import.meta.url))
  const cost = await runProgram(workspace, { file: process.execPath, args: [script] })
  return {
    buildSeconds: cost.seconds,
    buildCpuSeconds: cost.cpuMicros / 1e6,
    buildMb: cost.megabytes,
  }
}

/** Prints a line for each budget; returns false if one of those that must hold is exceeded. */
function report(costs: Costs): boolean {
  let areKept = true
  for (const [key, { name, unit, limit, isReportedOnly = false }] of Object.entries(BUDGETS)) {
    const cost = costs[key as keyof Costs]
    const isKept = cost <= limit
    areKept &&= isKept || isReportedOnly
    const state = isKept ? 'ok' : isReportedOnly ? 'over, reported only' : 'EXCEEDED'
    print(
      `${name.padEnd(38)} ${cost.toFixed(1).padStart(8)} of ${String(Math.round(limit)).padStart(4)} ${unit.padEnd(2)}  ${state}`,
    )
  }
  return areKept
}
