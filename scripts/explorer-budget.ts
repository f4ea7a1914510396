/** Measures what the explorer costs a browser; see the help. */
import type { Browser, CDPSession, Page } from 'playwright-core'
import { openBrowser } from '../test/support/browser.ts'
import { runScript, TEXT, wholeNumber } from './measure/command-line.ts'
import { print, showProgress } from './measure/progress.ts'
import { type Service, startService } from './measure/service.ts'
import { openStores, openWorkspace } from './measure/workspace.ts'
import { loadItems } from './overload/callers.ts'
import { ONTOLOGY, TYPE } from './overload/dataset.ts'

const ROWS = 100_000
const FRAMES = 300
/** Pixels of a fast scroll: seven rows a frame. */
const STEP = 230

const BUDGET = { firstLoadKb: 215, heapMb: 20, frameMs: 8, domRows: 80 }

const HELP = `Usage: npm run explorer:budget -- [options]

Opens the table of a type in Chromium, and measures four budgets:
  the files of the first load, compressed, with headers: ${BUDGET.firstLoadKb} kB
  the JavaScript heap after ${ROWS.toLocaleString('en')} rows were read: ${BUDGET.heapMb} MB
  the CPU time of the main thread for a frame while scrolling: ${BUDGET.frameMs} ms
  the rows in the document: ${BUDGET.domRows}

All four are bytes or thread time, so that they hold on a busy machine. Needs Chromium on the PATH or
in CHROMIUM_PATH. The exit status is 0, 1 when a budget is exceeded, or 2 when the run fails.

  --rows N          rows to read (default ${ROWS})`

await runScript({
  name: 'explorer:budget',
  help: HELP,
  options: { rows: TEXT },
  run: async (values) => {
    const rows = wholeNumber('--rows', values.rows, { min: 2000, usual: ROWS })
    using workspace = openWorkspace()
    await using stores = await openStores('SQLite', workspace)
    await using service = await startService(workspace, { store: await stores.create('budget') })
    await loadItems(service, rows)
    const browser = await openBrowser()
    try {
      return await measure(browser, service, rows)
    } finally {
      await browser.close()
    }
  },
})

async function measure(browser: Browser, { url, token }: Service, rows: number): Promise<boolean> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const firstLoad = watchFirstLoad(page, cdp)
  await cdp.send('Network.enable')
  await page.addInitScript(`sessionStorage.setItem('oqs.token', ${JSON.stringify(token)})`)
  showProgress('loading the first rows')
  await page.goto(new URL(`/o/${ONTOLOGY}/${TYPE}`, url).href)
  await page.locator('[aria-rowindex="2"] [role="gridcell"]').first().waitFor()
  await page.waitForLoadState('networkidle')
  const firstLoadKb = firstLoad() / 1000

  showProgress(`reading ${rows.toLocaleString('en')} rows`)
  await readRows(page, rows)
  const heapMb = (await heapBytes(cdp)) / 1_000_000
  const frameMs = await frameCpuMs(page, cdp)
  const domRows = await page.locator('[role="row"]').count()
  const measured = { firstLoadKb, heapMb, frameMs, domRows }
  const names = {
    firstLoadKb: 'first load, kB',
    heapMb: `heap after ${rows.toLocaleString('en')} rows, MB`,
    frameMs: 'main thread per frame, ms',
    domRows: 'rows in the document',
  } as const
  const keys = Object.keys(BUDGET) as (keyof typeof BUDGET)[]
  for (const key of keys) {
    const state = measured[key] <= BUDGET[key] ? 'ok' : 'EXCEEDED'
    print(
      `${names[key].padEnd(32)} ${measured[key].toFixed(1).padStart(7)}  of ${BUDGET[key]}  ${state}`,
    )
  }
  return keys.every((key) => measured[key] <= BUDGET[key])
}

/** Adds up what the files of the page cost on the wire; answers of the API are data, not the page. */
function watchFirstLoad(page: Page, cdp: CDPSession): () => number {
  const files = new Set<string>()
  let bytes = 0
  cdp.on('Network.responseReceived', ({ requestId, response }) => {
    if (!new URL(response.url).pathname.startsWith('/api/')) files.add(requestId)
  })
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (files.has(requestId)) bytes += encodedDataLength
  })
  page.on('pageerror', (error) => print(`error on the page: ${error.message}`))
  return () => bytes
}

/** Scrolls to the end, page after page, until enough rows were read. */
async function readRows(page: Page, rows: number): Promise<void> {
  const grid = page.getByRole('grid')
  const shown = rows.toLocaleString('en')
  const isRead = page.getByLabel('Pages', { exact: true }).getByText(`${shown} read`)
  while (!(await isRead.isVisible())) {
    await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
  }
}

async function heapBytes(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage')
  return metric(cdp, 'JSHeapUsedSize')
}

/** Scrolls back frame by frame; returns the CPU time of the main thread for one frame. */
async function frameCpuMs(page: Page, cdp: CDPSession): Promise<number> {
  showProgress('scrolling')
  const before = await metric(cdp, 'TaskDuration')
  // As a text, because the types of the browser are not known here.
  await page.evaluate(`new Promise((resolve) => {
    const grid = document.querySelector('[role="grid"]')
    let left = ${FRAMES}
    const scroll = () => {
      grid.scrollTop -= ${STEP}
      left -= 1
      if (left === 0) resolve()
      else requestAnimationFrame(scroll)
    }
    requestAnimationFrame(scroll)
  })`)
  return (1000 * ((await metric(cdp, 'TaskDuration')) - before)) / FRAMES
}

async function metric(cdp: CDPSession, wanted: string): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  const found = metrics.find(({ name }) => name === wanted)
  if (found === undefined) throw new Error(`Chromium does not report ${wanted}.`)
  return found.value
}
