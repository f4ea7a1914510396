/** How long a person waits for a screen of the explorer, from the click to the last count. */
import type { Page } from 'playwright-core'
import { openBrowser, signIn } from '../../test/support/browser.ts'
import { watchRequests } from '../../test/support/page-requests.ts'
import { ADMIN_TOKEN } from '../../test/support/service.ts'
import type { Part } from '../measure/command.ts'
import { atMost, median, print, showProgress } from '../measure/report.ts'
import type { Service } from '../measure/workbench.ts'
import { importItems, untilBuilt } from './answers.ts'
import { TERM } from './answers-data.ts'

const CARD = 'a[href$="/o/answers/item"]'
/** Rows, the count of the toolbar, and the facets that are open at first. */
const COUNTED = `document.querySelector('[aria-rowindex="2"] [role="gridcell"] a') !== null
  && /\\d/.test(document.querySelector('h1 + span')?.textContent)
  && document.querySelectorAll('nav[aria-label="Values"] ul').length >= 3`
/** Regions, stations, statuses, times, amounts, weights and whether they are active; notes differ. */
const DRAWN = `document.querySelectorAll('section[aria-label] :is(figure, ul)').length >= 7`
const FACETS = `document.querySelector('nav[aria-label="Values"]').textContent`
/** Rows and facets of another view than before. */
const CHANGED = `document.querySelector('[role="grid"][aria-busy="false"]') !== null
  && ${FACETS} !== before`

/** The name of each screen, and how many milliseconds it may take. */
const SCREENS = {
  opened: ['table, facets and counts after the click on a type, ms', 300],
  filtered: ['table, facets and counts after the click on a value, ms', 300],
  typed: ['table, facets and counts after the last key of a search, ms', 300],
  drawn: ['pictures after the click, ms', 500],
} as const

export const screens: Part<{ readonly objects: number; readonly rounds: number }> = {
  about: `Opens a type in Chromium, filters, searches and draws pictures of all its objects, and compares the
time from the click to the last count with marks.`,
  full: { objects: 1_000_000, rounds: 5 },
  quick: { objects: 20_000, rounds: 2 },
  async run({ bench, numbers: { objects, rounds }, store }) {
    const { service } = await importItems(bench, objects)
    await untilBuilt(service)
    await using browser = await openBrowser()
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    page.on('pageerror', (error) => print(`error on the page: ${error.message}`))
    const times: Record<keyof typeof SCREENS, number>[] = []
    for (let round = 0; round < rounds; round += 1) times.push(await measureRound(page, service))
    const names = Object.keys(SCREENS) as (keyof typeof SCREENS)[]
    return names.map((name) => {
      const [text, limit] = SCREENS[name]
      return atMost(limit, `${store}: ${text}`, median(times.map((each) => each[name])))
    })
  },
}

async function measureRound(page: Page, { url }: Service) {
  const { settled } = watchRequests(page)
  showProgress('opening screens')
  await signIn(page, url.origin, ADMIN_TOKEN)
  // A page of its own for each round, because a page keeps the answers of a version.
  await page.goto(url.href)
  await page.locator(CARD).waitFor()
  await settled()
  const opened = await measure(page, click(CARD), COUNTED)
  const filtered = await measure(page, click('nav[aria-label="Values"] li input'), CHANGED)
  await page.goBack()
  // A beginning that other terms have, too: the whole term then leads to other facets.
  await page.getByLabel('Search all texts').pressSequentially(TERM.in80.slice(0, 2))
  await settled()
  // As React hears of a key.
  const type = `{
    const input = document.querySelector('[role="search"] input')
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
    set.call(input, ${JSON.stringify(TERM.in80)})
    input.dispatchEvent(new Event('input', { bubbles: true }))
  }`
  const typed = await measure(page, type, CHANGED)
  await page.getByLabel('Clear the search').click()
  await settled()
  const drawn = await measure(page, click('[data-value="charts"]'), DRAWN)
  return { opened, filtered, typed, drawn }
}

function click(selector: string): string {
  return `document.querySelector(${JSON.stringify(selector)}).click()`
}

/** Acts, and returns the milliseconds until a frame shows what is expected. */
function measure(page: Page, act: string, isShown: string): Promise<number> {
  // As a text, because the types of the browser are not known here.
  return page.evaluate(`new Promise((resolve) => {
    const before = document.querySelector('nav[aria-label="Values"]')?.textContent
    const start = performance.now()
    ${act}
    const look = () => {
      if (${isShown}) resolve(performance.now() - start)
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })`)
}
