/** What the explorer costs a browser: bytes, memory, and time of the main thread; and its build. */
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { CDPSession, Page } from 'playwright-core'
import { openBrowser, signIn } from '../../test/support/browser.ts'
import { watchRequests } from '../../test/support/page-requests.ts'
import { ADMIN_TOKEN } from '../../test/support/service.ts'
import type { Part } from '../measure/command.ts'
import { atMost, print, showProgress } from '../measure/report.ts'
import type { Service, Workbench } from '../measure/workbench.ts'
import { LIST_PATH, loadItems, ONTOLOGY, TYPE } from '../overload/inputs.ts'

const ROUNDS = 3
const FRAMES = 150
/** Pixels of a fast scroll: seven rows a frame. */
const STEP = 230
const REDRAWS = 60
const FIRST_ROW = '[aria-rowindex="2"] [role="gridcell"]'

type Costs = Awaited<ReturnType<typeof measurePage>> & Awaited<ReturnType<typeof measureBuild>>

/** The name of each cost, and its limit. Wall-clock times depend on the machine, so there are none. */
const BUDGETS: Readonly<Record<keyof Costs, readonly [name: string, limit: number]>> = {
  firstLoadKb: ['files of the first load, compressed, kB', 215],
  heapMb: ['JavaScript heap after all rows, MB', 20],
  pagesMb: ['bytes of pages in memory, MB', 64 * 1.048576],
  domRows: ['rows in the document', 80],
  frameMs: ['main thread for a frame of scrolling, ms', 8],
  pagesReadAgain: ['pages read again on the way back', 0],
  mapMs: ['main thread for a redraw of the map, ms', 16],
  buildCpuSeconds: ['CPU time of the build, s', 6],
  buildMb: ['memory of the build, MB', 500],
}

export const explorer: Part<{ readonly rows: number }> = {
  about: `Builds the explorer, opens it in Chromium, reads rows down and back, moves the map, and compares
bytes, memory and CPU time with budgets.`,
  full: { rows: 100_000 },
  quick: { rows: 2000 },
  stores: ['SQLite'],
  async run({ bench, numbers: { rows } }) {
    const build = await measureBuild(bench)
    const service = await bench.startService()
    await loadItems(service, rows)
    await using browser = await openBrowser()
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    const costs = { ...(await measurePage(page, service, rows)), ...build }
    return Object.entries(BUDGETS).map(([cost, [name, limit]]) =>
      atMost(limit, name, costs[cost as keyof Costs]),
    )
  },
}

async function measureBuild(bench: Workbench) {
  showProgress('building the explorer')
  // Without its stamp the script builds even if no source has changed.
  rmSync(new URL('../../dist/explorer/stamp', import.meta.url), { force: true })
  const script = fileURLToPath(new URL('../build-explorer.ts', import.meta.url))
  const { cpuMicros, megabytes } = await bench.runProgram({ args: [script] })
  return { buildCpuSeconds: cpuMicros / 1e6, buildMb: megabytes }
}

async function measurePage(page: Page, { url }: Service, rows: number) {
  const { settled } = watchRequests(page)
  page.on('pageerror', (error) => print(`error on the page: ${error.message}`))
  await signIn(page, url.origin, ADMIN_TOKEN)
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  await cdp.send('Network.enable')
  const traffic = watchTraffic(cdp)
  const address = new URL(`/o/${ONTOLOGY}/${TYPE}`, url).href

  showProgress('loading the first rows')
  await page.goto(address)
  await page.locator(FIRST_ROW).first().waitFor()
  await settled()
  const firstLoadKb = traffic.fileBytes / 1000

  showProgress(`reading ${rows.toLocaleString('en')} rows`)
  await readRows(page, rows)
  await cdp.send('HeapProfiler.collectGarbage')
  // The buffers beside the heap hold the pages as the bytes that came.
  const { usedSize, backingStorageSize } = await cdp.send('Runtime.getHeapUsage')
  const pagesRead = traffic.pages
  showProgress('scrolling')
  // The least of several rounds: what other programs do on the core only adds to it.
  let frameMs = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round += 1) {
    frameMs = Math.min(frameMs, await scrollBack(page, cdp))
  }
  const domRows = await page.locator('[role="row"]').count()
  await page.getByRole('grid').evaluate((element) => element.scrollTo(0, 0))
  await page.locator(FIRST_ROW).first().waitFor()
  const pagesReadAgain = traffic.pages - pagesRead

  showProgress('moving the map')
  await page.goto(`${address}?view=map`)
  await page.getByText('objects on this part of the map').waitFor()
  await settled()
  const mapMs = await measureMap(page, cdp)
  return {
    firstLoadKb,
    heapMb: usedSize / 1e6,
    pagesMb: backingStorageSize / 1e6,
    domRows,
    frameMs,
    pagesReadAgain,
    mapMs,
  }
}

/** Counts the bytes of the files of the page, and the pages of objects that were requested. */
function watchTraffic(cdp: CDPSession) {
  const files = new Set<string>()
  const traffic = { fileBytes: 0, pages: 0 }
  cdp.on('Network.responseReceived', ({ requestId, response }) => {
    const { pathname } = new URL(response.url)
    // Answers of the API are data, not the page.
    if (!pathname.startsWith('/api/')) files.add(requestId)
    if (pathname === LIST_PATH) traffic.pages += 1
  })
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (files.has(requestId)) traffic.fileBytes += encodedDataLength
  })
  return traffic
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

/** Scrolls back, and returns the CPU time of the main thread for a frame. */
function scrollBack(page: Page, cdp: CDPSession): Promise<number> {
  const scroll = `document.querySelector('[role="grid"]').scrollTop -= ${STEP}`
  return measureFrames(page, cdp, FRAMES, scroll)
}

/** Moves the map by keys, and returns the CPU time of the main thread for a frame. */
async function measureMap(page: Page, cdp: CDPSession): Promise<number> {
  await page.getByRole('application', { name: /^Map/ }).focus()
  const move = `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {
    key: left % 2 === 0 ? 'ArrowLeft' : 'ArrowRight', bubbles: true, cancelable: true }))`
  return measureFrames(page, cdp, REDRAWS, move)
}

/** Runs a statement in each frame. It is a text, because the types of the browser are not known here. */
async function measureFrames(page: Page, cdp: CDPSession, frames: number, statement: string) {
  const before = await taskMs(cdp)
  await page.evaluate(`new Promise((resolve) => {
    let left = ${frames}
    const next = () => {
      ${statement}
      left -= 1
      requestAnimationFrame(left === 0 ? resolve : next)
    }
    requestAnimationFrame(next)
  })`)
  return ((await taskMs(cdp)) - before) / frames
}

/** Returns the CPU time that the main thread has spent in tasks. */
async function taskMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  const found = metrics.find(({ name }) => name === 'TaskDuration')
  if (found === undefined) throw new Error('Chromium does not report TaskDuration.')
  return 1000 * found.value
}
