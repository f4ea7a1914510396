/** What a reader sees while pages come, expire, end or fail. What was read stays in every case. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PAGE_TOKEN_TTL_SECONDS } from '../../src/contract/limits.ts'
import { accessibilityFaults, openBrowser, openExplorer, openPage } from '../support/browser.ts'
import { startShop } from '../support/explorer-data.ts'
import { ADMIN_TOKEN, type Service } from '../support/service.ts'

const COUNT = 2500
const LIMIT = 1500
/** Longer than any token of a page is valid. */
const TOO_LONG_MS = 1000 * PAGE_TOKEN_TTL_SECONDS + 1000

let service: Service
let browser: Browser

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startShop(), openBrowser()])
  const properties = { id: { type: 'integer' }, name: { type: 'string' } } as const
  const type = { primaryKey: 'id', titleProperty: 'name', properties }
  await service.apply({
    apiName: 'walks',
    families: ['walks'],
    objectTypes: [
      { apiName: 'row', ...type },
      { apiName: 'capped', ...type, retrievalLimit: LIMIT },
    ],
  })
  const rows = Array.from({ length: COUNT }, (_, id) => ({ id, name: `row ${id}` }))
  await service.put('walks', 'row', rows)
  await service.put('walks', 'capped', rows)
})
afterAll(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const bar = (page: Page) => page.getByLabel('Pages', { exact: true })
const counted = (page: Page, text: string) => bar(page).getByText(text).waitFor()
/** Scrolls to the end of what was read; waiting rows are loaded from there. */
const toEnd = (page: Page) =>
  page.getByRole('grid').evaluate((grid) => grid.scrollTo(0, grid.scrollHeight))

async function openRows(page: Page, path = '/o/walks/row', token = ADMIN_TOKEN): Promise<void> {
  await openExplorer(page, { url: service.url, token, path })
  await counted(page, '1,000 read of 2,500')
}

it('walks to the end and back, with row, page and total always in view', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openRows(page)
  await toEnd(page)
  await counted(page, '2,000 read')
  await toEnd(page)
  await counted(page, '2,500 read of 2,500')
  await toEnd(page)
  await page.getByRole('gridcell', { name: 'row 2499', exact: true }).waitFor()
  await counted(page, 'page 3')
  await page.locator('[aria-rowindex="2501"]').waitFor()
  await bar(page).getByRole('button', { name: 'Page 2' }).click()
  await page.getByRole('button', { name: 'Go to its first row' }).click()
  await page.getByText('page 1 ends').waitFor()
  await page.getByRole('gridcell', { name: 'row 1000', exact: true }).waitFor()
  expect(await page.locator('[role="row"]').count()).toBeLessThan(80)
  expect(faults()).toEqual([])
})

it('keeps rows when a page token expires, and goes on after the last key', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  await openRows(page)
  service.clock.now += TOO_LONG_MS
  await toEnd(page)
  await page.getByText('Page 2 expired. The 1,000 rows that were read stay.').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Go on after 999' }).click()
  await counted(page, '2,000 read of 2,500')
  await toEnd(page)
  await counted(page, '2,500 read of 2,500')
})

it('says where a list is capped, and offers the ways on', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  await openRows(page, '/o/walks/capped')
  await toEnd(page)
  await counted(page, '1,500 read')
  await toEnd(page)
  await page.getByText('Revision 1.0 ends a list after 1,500 objects; 1,000 more match.').waitFor()
  for (const name of ['Narrow', 'Read in v2, without a limit', 'Export all']) {
    await page.getByRole('button', { name }).waitFor()
  }
  await page.getByRole('button', { name: 'Go on after 1499' }).click()
  await counted(page, '2,500 read of 2,500')
})

it('keeps rows when the bearer token expires, and reads on after another sign-in', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  const expiresAtMs = service.clock.now + 60_000
  const token = await service.createToken({
    scopes: ['api:ontologies-read'],
    expiresAtMs,
  })
  await openRows(page, '/o/walks/row', token)
  service.clock.now = expiresAtMs + 1
  await toEnd(page)
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.waitFor()
  await counted(page, '1,000 read of 2,500')
  await dialog.getByLabel('Token').fill(ADMIN_TOKEN)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  // The walk restarts, and reads on to where the reader was.
  await toEnd(page)
  await counted(page, '2,500 read of 2,500')
})

it('keeps rows while the service cannot be reached, and resumes', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  await openRows(page)
  await page.context().setOffline(true)
  await toEnd(page)
  await page.getByText('The service cannot be reached.').waitFor()
  await counted(page, '1,000 read of 2,500')
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try now' }).click()
  await counted(page, '2,000 read')
})

it('shows one moment in a snapshot, whatever is written meanwhile', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  await openRows(page, '/o/walks/row?at=snapshot')
  await page.getByText(/^Snapshot of/).waitFor()
  await service.put('walks', 'row', [{ id: 1700, name: 'written later' }])
  await toEnd(page)
  await counted(page, '2,000 read')
  await page.keyboard.press('Control+f')
  const find = page.getByLabel('Find', { exact: true })
  await find.fill('row 1700')
  await page.keyboard.press('Enter')
  await page.getByText('Row 1,701').waitFor()
  await page.getByRole('button', { name: 'Latest' }).click()
  await find.fill('written later')
  const found = page.getByRole('form', { name: /^Find/ }).getByRole('status')
  await expect
    .poll(
      async () => {
        await toEnd(page)
        await find.press('Enter')
        return found.textContent()
      },
      { timeout: 60_000 },
    )
    .toBe('Row 1,701')
  await service.put('walks', 'row', [{ id: 1700, name: 'row 1700' }])
})
