/** The table of a type: columns, filters, facets, finding, copying, exporting, saved views. */
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityFaults, openBrowser, openExplorer, openPage } from '../support/browser.ts'
import { ITEM_COUNT, startShop } from '../support/explorer-data.ts'
import { ADMIN_TOKEN, type Service } from '../support/service.ts'

let service: Service
let browser: Browser

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startShop(), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

async function openItems(page: Page, search = ''): Promise<void> {
  const path = `/o/shop/item${search}`
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path })
  await page.locator('[aria-rowindex="2"] [role="gridcell"]').first().waitFor()
}

const column = (page: Page, name: string) =>
  page.getByRole('button', { name: `Column ${name}`, exact: true })
const firstKey = (page: Page) => page.locator('[aria-rowindex="2"] [data-cell="0"]')
const counted = (page: Page, text: string) =>
  page.getByLabel('Pages', { exact: true }).getByText(text).waitFor()

it('shows each type as a card with its count, links and picture', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN })
  const card = page.getByRole('link', { name: /^Item/ })
  await card.getByText(String(ITEM_COUNT)).waitFor()
  await card.getByText('→ Maker').waitFor()
  await card.locator('svg path').first().waitFor({ state: 'attached' })
  expect(await accessibilityFaults(page)).toEqual([])
  expect(faults()).toEqual([])
})

it('orders, hides and filters from the menu of a column, and the address follows', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openItems(page)
  await column(page, 'price').click()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Sort down' }).click()
  await firstKey(page).filter({ hasText: 'i059' }).waitFor()
  expect(page.url()).toContain('o=price:desc')

  await column(page, 'isNew').click()
  await page.getByRole('button', { name: 'Then sort up' }).click()
  await page.waitForURL('**/*o=price:desc,isNew:asc*')

  await column(page, 'stock').click()
  await page.getByRole('button', { name: 'Hide' }).click()
  await column(page, 'stock').waitFor({ state: 'detached' })

  await column(page, 'price').click()
  await page.getByRole('button', { name: 'Filter…' }).click()
  await page.getByLabel('Condition').selectOption('gte')
  await page.getByLabel('Value', { exact: true }).fill('70')
  await page.keyboard.press('Enter')
  await counted(page, '4 read of 4')
  await page.goBack()
  await counted(page, `${ITEM_COUNT} read`)
  expect(faults()).toEqual([])
})

it('widens a column by keys, and keeps the width for the tab', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  await openItems(page)
  const edge = page.getByRole('separator', { name: 'Width of name' })
  const before = Number(await edge.getAttribute('aria-valuenow'))
  await edge.focus()
  await page.keyboard.press('ArrowRight')
  expect(Number(await edge.getAttribute('aria-valuenow'))).toBe(before + 16)
  await page.reload()
  await firstKey(page).waitFor()
  expect(Number(await edge.getAttribute('aria-valuenow'))).toBe(before + 16)
})

it('counts values exactly, and filters by one', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  await openItems(page)
  const rail = page.getByRole('navigation', { name: 'Values' })
  await rail.getByRole('button', { name: 'm1 20' }).click()
  await counted(page, '20 read of 20')
  expect(new URL(page.url()).search).toBe('?w=makerCode:eq:m1')
  await rail.getByRole('button', { name: 'm1 20', pressed: true }).click()
  await counted(page, `${ITEM_COUNT} read`)
})

it('asks for nothing that the type does not have, and says so', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  await openItems(page, '?w=gone:eq:7&w=makerCode:eq:m0&o=lost:asc')
  await counted(page, '20 read of 20')
  await page.getByText('Order by lost: there is no such property').waitFor()
  await page.getByRole('button', { name: 'Remove Gone = 7' }).click()
  await page.getByText('Gone = 7: there is no such property').waitFor({ state: 'detached' })
})

it('finds rows that are not rendered, and copies a cell', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await openItems(page)
  await page.keyboard.press('Control+f')
  await page.getByLabel('Find', { exact: true }).fill('item 59')
  await page.keyboard.press('Enter')
  const cell = page.getByRole('gridcell', { name: 'Item 59', exact: true })
  await cell.waitFor()
  await page.locator('[data-cell]:focus', { hasText: 'Item 59' }).waitFor()
  await page.keyboard.press('Control+c')
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('Item 59')
})

it('exports what the API exports, byte for byte', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  await openItems(page, '?w=makerCode:eq:m2')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('button', { name: 'NDJSON' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  const where = { type: 'eq', field: 'properties.makerCode', value: 'm2' }
  const { text } = await service.send(
    `/api/admin/v1/ontologies/shop/objects/item/export?where=${encodeURIComponent(JSON.stringify(where))}`,
  )
  expect(download.suggestedFilename()).toBe('shop-item.ndjson')
  expect(await readFile(await download.path(), 'utf8')).toBe(text)
})

it('keeps views by name, and finds them with types, properties and actions', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openItems(page, '?w=makerCode:eq:m2')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByLabel('Keep this view as').fill('Copper goods')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Objects' }).click()
  await page.getByRole('link', { name: /^Item/ }).waitFor()

  await page.keyboard.press('Control+k')
  const search = page.getByRole('combobox', { name: /^Find/ })
  await search.fill('copper')
  await page.getByRole('option', { name: 'Copper goods' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.keyboard.press('Enter')
  await counted(page, '20 read of 20')

  await page.keyboard.press('Control+k')
  await search.fill('take a snapshot')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/*at=snapshot*')
  await page.keyboard.press('Control+k')
  await search.fill('price')
  await page.getByRole('option', { name: 'Price' }).waitFor()
  expect(faults()).toEqual([])
})

it('does nothing on single letters once they are switched off', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  await openItems(page)
  await page.keyboard.press('?')
  await page.getByLabel('Use the keys that are single characters').uncheck()
  await page.keyboard.press('Escape')
  await firstKey(page).click()
  await page.keyboard.press('s')
  await page.keyboard.press('=')
  await page.keyboard.press('ArrowDown')
  await page.locator('[aria-rowindex="3"] :focus').waitFor()
  expect(new URL(page.url()).search).toBe('')
})
