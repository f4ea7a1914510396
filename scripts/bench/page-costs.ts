/** What the pages of the explorer cost a browser: bytes, memory, and time of the main thread. */
import type { Browser, CDPSession, Page } from 'playwright-core'
import { print, showProgress } from '../measure/report.ts'
import type { Service } from '../measure/workbench.ts'
import { LIST_PATH, ONTOLOGY, TYPE } from '../overload/dataset.ts'

const ROUNDS = 3
const FRAMES = 150
/** Pixels of a fast scroll: seven rows a frame. */
const STEP = 230
const SLOW_FRAME_MS = 34
const REDRAWS = 60

export interface PageCosts {
  readonly firstLoadKb: number
  readonly firstRowMs: number
  readonly heapMb: number
  readonly pagesMb: number
  readonly domRows: number
  readonly frameMs: number
  readonly slowFrames: number
  readonly pagesReadAgain: number
  readonly mapMs: number
}

export async function measurePage(
  browser: Browser,
  { url, token }: Service,
  rows: number,
): Promise<PageCosts> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  page.on('pageerror', (error) => print(`error on the page: ${error.message}`))
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  await cdp.send('Network.enable')
  const traffic = watchTraffic(cdp)
  await page.addInitScript(`sessionStorage.setItem('oqs.token', ${JSON.stringify(token)})`)
  const address = new URL(`/o/${ONTOLOGY}/${TYPE}`, url).href

  showProgress('loading the first rows')
  const started = performance.now()
  await page.goto(address)
  await page.locator('[aria-rowindex="2"] [role="gridcell"]').first().waitFor()
  const firstRowMs = performance.now() - started
  await page.waitForLoadState('networkidle')
  const firstLoadKb = traffic.fileBytes() / 1000

  showProgress(`reading ${rows.toLocaleString('en')} rows`)
  await readRows(page, rows)
  const { heapMb, pagesMb } = await memoryOf(cdp)
  const pagesRead = traffic.pageCount()
  showProgress('scrolling')
  const scrolling = await costOfScrolling(page, cdp)
  const domRows = await page.locator('[role="row"]').count()
  await goToFirstRow(page)
  const pagesReadAgain = traffic.pageCount() - pagesRead

  showProgress('moving the map')
  const mapMs = await costOfMap(page, cdp, `${address}?view=map`)
  return {
    firstLoadKb,
    firstRowMs,
    heapMb,
    pagesMb,
    domRows,
    ...scrolling,
    pagesReadAgain,
    mapMs,
  }
}

/** Counts the bytes of the files of the page, and the pages of objects that were requested. */
function watchTraffic(cdp: CDPSession) {
  const files = new Set<string>()
  let bytes = 0
  let pages = 0
  cdp.on('Network.responseReceived', ({ requestId, response }) => {
    const { pathname } = new URL(response.url)
    // Answers of the API are data, not the page.
    if (!pathname.startsWith('/api/')) files.add(requestId)
    if (pathname === LIST_PATH) pages += 1
  })
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (files.has(requestId)) bytes += encodedDataLength
  })
  return { fileBytes: () => bytes, pageCount: () => pages }
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

async function goToFirstRow(page: Page): Promise<void> {
  await page.getByRole('grid').evaluate((element) => element.scrollTo(0, 0))
  await page.locator('[aria-rowindex="2"] [role="gridcell"]').first().waitFor()
}

/** The heap, and the buffers beside it, which hold the pages as the bytes that came. */
async function memoryOf(cdp: CDPSession) {
  await cdp.send('HeapProfiler.collectGarbage')
  const { usedSize, backingStorageSize } = await cdp.send('Runtime.getHeapUsage')
  return { heapMb: usedSize / 1e6, pagesMb: backingStorageSize / 1e6 }
}

/** The CPU time is the least of several rounds: what other programs do on the core only adds to it. */
async function costOfScrolling(page: Page, cdp: CDPSession) {
  const rounds: Awaited<ReturnType<typeof scrollBack>>[] = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await scrollBack(page, cdp))
  return {
    frameMs: Math.min(...rounds.map(({ frameMs }) => frameMs)),
    slowFrames: rounds.reduce((sum, { slowFrames }) => sum + slowFrames, 0) / ROUNDS,
  }
}

/** Scrolls back frame by frame. */
async function scrollBack(page: Page, cdp: CDPSession) {
  const before = await taskMs(cdp)
  // As a text, because the types of the browser are not known here.
  const times = await page.evaluate<readonly number[]>(`new Promise((resolve) => {
    const grid = document.querySelector('[role="grid"]')
    const times = []
    const scroll = (time) => {
      times.push(time)
      grid.scrollTop -= ${STEP}
      if (times.length > ${FRAMES}) resolve(times)
      else requestAnimationFrame(scroll)
    }
    requestAnimationFrame(scroll)
  })`)
  const frameMs = ((await taskMs(cdp)) - before) / FRAMES
  const slow = times.slice(1).filter((time, index) => time - (times[index] ?? 0) > SLOW_FRAME_MS)
  return { frameMs, slowFrames: (100 * slow.length) / FRAMES }
}

/** Moves the map by keys, one step a frame. */
async function costOfMap(page: Page, cdp: CDPSession, address: string): Promise<number> {
  await page.goto(address)
  await page.getByText('objects on this part of the map').waitFor()
  const map = page.getByRole('application', { name: /^Map/ })
  await map.focus()
  await page.waitForLoadState('networkidle')
  const before = await taskMs(cdp)
  await page.evaluate(`new Promise((resolve) => {
    const map = document.querySelector('canvas[role="application"]')
    let left = ${REDRAWS}
    const move = () => {
      const key = left % 2 === 0 ? 'ArrowLeft' : 'ArrowRight'
      map.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
      left -= 1
      if (left === 0) requestAnimationFrame(resolve)
      else requestAnimationFrame(move)
    }
    requestAnimationFrame(move)
  })`)
  return ((await taskMs(cdp)) - before) / REDRAWS
}

/** Returns the CPU time that the main thread has spent in tasks. */
async function taskMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  const found = metrics.find(({ name }) => name === 'TaskDuration')
  if (found === undefined) throw new Error('Chromium does not report TaskDuration.')
  return 1000 * found.value
}
