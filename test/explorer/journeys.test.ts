/** What most people do in the explorer. Runs on every database. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { ITEM_COUNT, startWalks, WALK_COUNT } from '../support/explorer-data.ts'
import { explorerSuite } from '../support/explorer-suite.ts'
import { ADMIN_TOKEN } from '../support/service.ts'
import { counted, toEnd } from '../support/walked-rows.ts'

const suite = explorerSuite(startWalks)

const waitForRows = (page: Page) => page.getByRole('gridcell').first().waitFor()
const firstKey = (page: Page) => page.locator('[aria-rowindex="2"] [aria-colindex="1"]')
const bar = (page: Page) => page.getByLabel('Pages', { exact: true })

it('shows the types with their counts, and leads to objects and along their links', async () => {
  const page = await suite.visit('/')
  await page.getByRole('heading', { name: 'Shop' }).waitFor()
  await page
    .getByRole('link', { name: /^Item/ })
    .filter({ hasText: String(ITEM_COUNT) })
    .click()
  await waitForRows(page)
  expect(new URL(page.url()).pathname).toBe('/o/shop/item')
  await expect
    .poll(() => page.getByRole('grid').getAttribute('aria-rowcount'))
    .toBe(String(ITEM_COUNT + 1))

  await page.goto(`${suite.service.url}/o/shop/item/i004`)
  const links = page.getByRole('complementary', { name: 'Map and links' })
  await links.getByRole('link', { name: 'Brass Works' }).click()
  await page.getByRole('link', { name: /^Items 20/ }).click()
  await counted(page, '20 read of 20')
  expect(new URL(page.url()).pathname).toBe('/o/shop/maker/m1/items')
})

it('keeps the whole view in the address: back, forward, reload, another browser', async () => {
  const page = await suite.visit('/o/shop/item?w=makerCode:eq:m1&o=price:desc')
  await firstKey(page).getByText('i058').click()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Item 58' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/o/shop/item/i058')

  await page.goBack()
  await firstKey(page).getByText('i058').waitFor()
  expect(new URL(page.url()).search).toContain('makerCode')
  await page.goForward()
  await page.getByRole('heading', { name: 'Item 58' }).waitFor()
  await page.goBack()
  await page.reload()
  await firstKey(page).getByText('i058').waitFor()

  await using other = await suite.visitElsewhere(page.url().slice(suite.service.url.length))
  await firstKey(other.page).getByText('i058').waitFor()
  expect(page.url()).not.toContain(ADMIN_TOKEN)
})

it('walks to the last row and back to the first, with row, page and total in view', async () => {
  const page = await suite.visit('/o/walks/row')
  await counted(page, '1,000 read of 2,500')
  await toEnd(page)
  await counted(page, '2,000 read')
  await toEnd(page)
  await counted(page, '2,500 read of 2,500')
  await toEnd(page)
  await page.getByRole('gridcell', { name: 'row 2499', exact: true }).waitFor()
  await counted(page, 'row 2,4')
  await page.locator(`[aria-rowindex="${WALK_COUNT + 1}"]`).waitFor()
  await bar(page).getByRole('button', { name: 'Details for developers' }).click()
  await bar(page).getByRole('button', { name: 'Page 2' }).click()
  await page.getByRole('button', { name: 'Go to its first row' }).click()
  await page.getByText('page 1 ends').waitFor()
  await page.getByRole('gridcell', { name: 'row 1000', exact: true }).waitFor()
  await expect.poll(() => page.locator('[role="row"]').count()).toBeLessThan(80)

  // What was read is shown from memory: no page is requested again.
  const requests: string[] = []
  const watch = (request: { url(): string }) => requests.push(request.url())
  page.on('request', watch)
  await page.keyboard.press('Control+Home')
  await page.getByRole('gridcell', { name: 'row 0', exact: true }).waitFor()
  page.off('request', watch)
  expect(requests.filter((url) => url.includes('/objects/row/search'))).toEqual([])
})

it('shows what is written during a walk in the latest, and not in a snapshot', async () => {
  const page = await suite.visit('/o/walks/row')
  const find = page.getByLabel('Find', { exact: true })
  const findRow = async (text: string, row: string) => {
    await page.keyboard.press('Control+f')
    await find.fill(text)
    await find.press('Enter')
    await page.getByRole('form', { name: /^Find/ }).getByText(row).waitFor()
    await find.press('Escape')
  }
  await counted(page, '1,000 read')
  await suite.service.put('walks', 'row', [{ id: 1700, name: 'written during the walk' }])
  await toEnd(page)
  await counted(page, '2,000 read')
  await findRow('written during the walk', 'Row 1,701')

  await suite.visit('/o/walks/row?at=snapshot')
  await page.getByText(/^Snapshot of/).waitFor()
  await counted(page, '1,000 read')
  await suite.service.put('walks', 'row', [{ id: 1700, name: 'written after the snapshot' }])
  await toEnd(page)
  await counted(page, '2,000 read')
  await findRow('written during the walk', 'Row 1,701')
  await suite.service.put('walks', 'row', [{ id: 1700, name: 'row 1700' }])
})

it('exports what the API exports, byte for byte', async () => {
  const page = await suite.visit('/o/shop/item?w=makerCode:eq:m2')
  await counted(page, '20 read of 20')
  const where = { type: 'eq', field: 'properties.makerCode', value: 'm2' }
  const path = `/api/admin/v1/ontologies/shop/objects/item/export?where=${encodeURIComponent(JSON.stringify(where))}`
  for (const [format, name] of [
    ['ndjson', 'NDJSON'],
    ['csv', 'CSV'],
  ] as const) {
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('button', { name, exact: true }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    const { text } = await suite.service.send(`${path}&format=${format}`)
    expect(download.suggestedFilename()).toBe(`shop-item.${format}`)
    expect(await readFile(await download.path(), 'utf8')).toBe(text)
  }
})

it('works without a mouse', async () => {
  const page = await suite.visit('/')
  await page.getByRole('heading', { name: 'Shop' }).waitFor()
  for (const type of ['maker', 'item']) {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Find/ }).waitFor()
    await page.keyboard.type(type)
    await page
      .getByRole('option', { name: new RegExp(`^${type}`, 'i') })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/o/shop/${type}`)
    await waitForRows(page)
  }
  // Until then, the table still shows the rows of the other type.
  await page.getByRole('link', { name: 'i000', exact: true }).waitFor()
  await page.locator('[role="gridcell"][aria-colindex="1"][tabindex="0"]').focus()
  await page.keyboard.press('ArrowDown')
  await page.locator('[aria-rowindex="3"] [aria-colindex="1"]:focus').waitFor()
  const key = await page.locator('[aria-rowindex="3"] [aria-colindex="1"]').textContent()
  await page.keyboard.press('=')
  await page.getByRole('list', { name: 'Filters' }).waitFor()
  await page.locator('[aria-colindex="1"]', { hasText: key ?? '' }).waitFor()
  // The row is the only one now, and the focus is still in the table.
  await page.locator('[aria-rowindex="2"] [aria-colindex="1"]:focus').waitFor()
  await page.keyboard.press('Enter')
  const path = `/o/shop/item/${encodeURIComponent(key ?? '')}`
  await page.waitForURL(({ pathname }) => pathname === path)
})
