/** What others write while somebody reads: it is counted, shown on demand, and moves nothing. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { accessibilityFaults } from '../support/browser.ts'
import { explorerSuite } from '../support/explorer-suite.ts'
import { watchRequests } from '../support/page-requests.ts'
import { counted } from '../support/walked-rows.ts'

const suite = explorerSuite()

const badge = (page: Page) => page.getByRole('button', { name: /changed$/ })
const live = (page: Page) => page.getByTitle('Changes are counted as they are written.')
const panel = (page: Page) => page.getByRole('dialog', { name: 'What has changed' })

/** Returns each row with its place on the screen. */
const rowsOf = (page: Page) =>
  page.getByRole('row').evaluateAll((rows) =>
    rows.map((row) => {
      const { x, y, width, height } = row.getBoundingClientRect()
      return [row.textContent, x, y, width, height]
    }),
  )

const put = (id: string, properties: object) =>
  suite.service.put('shop', 'item', [{ id, ...properties }])

it('counts what others write, lists it, and marks it when the table is read again', async () => {
  await suite.service.put('shop', 'item', [
    { id: 'a1', name: 'First', makerCode: 'live' },
    { id: 'a2', name: 'Second', makerCode: 'live' },
    { id: 'a3', name: 'Third', makerCode: 'live' },
  ])
  const page = await suite.visit('/o/shop/item?w=makerCode:eq:live')
  await counted(page, '3 read of 3')
  await page.locator('[aria-rowindex="3"] [aria-colindex="3"]').click()
  await page.locator('[aria-rowindex="3"] [aria-colindex="3"]:focus').press('ArrowLeft')
  await page.locator(':focus', { hasText: 'Second' }).waitFor()
  await live(page).waitFor()
  const before = await rowsOf(page)

  // Two people write. What does not match the filter is not counted, and neither is a second change.
  await Promise.all([
    put('a1', { name: 'First, changed', makerCode: 'live' }),
    suite.service.write('shop', 'item', [{ delete: 'a3' }]),
  ])
  await put('a1', { name: 'First, changed again', makerCode: 'live' })
  await put('elsewhere', { name: 'Elsewhere', makerCode: 'm1' })
  await put('a0', { name: 'New', makerCode: 'live' })
  await page.getByRole('button', { name: '3 changed' }).waitFor()
  // Nothing has moved, and the reader is where they were.
  expect(await rowsOf(page)).toEqual(before)
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Second')
  await expect.poll(() => accessibilityFaults(page)).toEqual([])

  await badge(page).press('Enter')
  const items = panel(page).getByRole('listitem')
  expect((await items.allTextContents()).toSorted()).toEqual([
    'First, changed againa1',
    'Newa0',
    'a3gone',
  ])
  expect(await accessibilityFaults(page, '[popover]:popover-open')).toEqual([])
  // What changes while the list is read does not move it.
  await put('a2', { name: 'Second, changed', makerCode: 'live' })
  await page.getByRole('button', { name: '4 changed' }).waitFor()
  expect(await items.count()).toBe(3)

  await panel(page).getByRole('button', { name: 'Read the table again' }).click()
  await page.getByRole('gridcell', { name: 'First, changed again' }).waitFor()
  await live(page).waitFor()
  expect(await badge(page).count()).toBe(0)
  const keys = page.locator('[role="gridcell"][aria-colindex="1"]')
  expect(await keys.allTextContents()).toEqual(['a0 changed', 'a1 changed', 'a2 changed'])
  expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('gridcell')
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
})

it('counts what is not in a snapshot', async () => {
  await put('s1', { name: 'Kept', makerCode: 'kept' })
  const page = await suite.visit('/o/shop/item?w=makerCode:eq:kept&at=snapshot')
  await counted(page, '1 read of 1')
  await put('s2', { name: 'Later', makerCode: 'kept' })
  await badge(page).click()
  await panel(page).getByRole('button', { name: 'Later' }).click()
  await page.getByRole('complementary', { name: 'Object s2' }).getByText('Later').first().waitFor()
  expect(await page.getByRole('gridcell', { name: 's2' }).count()).toBe(0)
})

it('asks for nothing while nobody looks, and then catches up', async () => {
  await put('h1', { name: 'Hidden', makerCode: 'hidden' })
  const page = await suite.visit('/favicon.svg')
  const requests = watchRequests(page)
  await page.goto(`${suite.service.url}/o/shop/item?w=makerCode:eq:hidden`)
  await counted(page, '1 read of 1')
  await expect.poll(requests.waiting).toBe(1)
  await requests.settled()

  await see(page, false)
  await expect.poll(requests.waiting).toBe(0)
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url()))
  await put('h1', { name: 'Changed meanwhile', makerCode: 'hidden' })
  await requests.settled()
  expect(sent).toEqual([])

  await see(page, true)
  await page.getByRole('button', { name: '1 changed' }).waitFor()
  await expect.poll(requests.waiting).toBe(1)
})

/** Does what a browser does when a tab is covered by another, and shown again. */
async function see(page: Page, isSeen: boolean): Promise<void> {
  const state = JSON.stringify(isSeen ? 'visible' : 'hidden')
  await page.evaluate(`{
    Object.defineProperty(document, 'visibilityState', { value: ${state}, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }`)
}

it('goes on after the service could not be reached', async () => {
  await put('o1', { name: 'Offline', makerCode: 'offline' })
  const page = await suite.visit('/o/shop/item?w=makerCode:eq:offline')
  await live(page).waitFor()
  const failed = page.waitForEvent('requestfailed')
  // The request that waits is answered; the next one fails.
  await page.route('**/objectSets/changes', (route) => route.abort())
  await put('o1', { name: 'Changed', makerCode: 'offline' })
  await page.getByRole('button', { name: '1 changed' }).waitFor()
  await failed
  await put('o2', { name: 'Written meanwhile', makerCode: 'offline' })
  await page.unrouteAll()
  await page.getByRole('button', { name: '2 changed' }).waitFor()
})

it('leaves the reader in peace when the rights are gone', async () => {
  const created = await suite.service.send('/api/admin/v1/tokens', {
    json: { name: 'reader', scopes: ['api:ontologies-read'] },
  })
  const { token, id } = created.body
  const page = await suite.visit('/favicon.svg', { token })
  const requests = watchRequests(page)
  await page.goto(`${suite.service.url}/o/shop/item?w=makerCode:eq:m1`)
  await live(page).waitFor()
  await requests.settled()
  await suite.service.send(`/api/admin/v1/tokens/${id}`, { method: 'DELETE' })
  await put('r1', { name: 'Revoked', makerCode: 'm1' })
  await page.getByRole('button', { name: 'not live' }).click()
  await panel(page)
    .getByText(/^Changes are not counted:/)
    .waitFor()
  expect(await page.getByLabel('Token').count()).toBe(0)
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
  // What the reader asks for is refused as always.
  await panel(page).getByRole('button', { name: 'Read the table again' }).click()
  await page.getByLabel('Token').waitFor()
})

it('updates an open object in place, and says that it was deleted', async () => {
  await put('open', { name: 'Before', price: 1, stock: '5' })
  const page = await suite.visit('/o/shop/item/open', { height: 300 })
  await page.getByRole('heading', { name: 'Before' }).waitFor()
  await page.getByRole('button', { name: 'Compare' }).focus()
  const main = page.getByRole('main')
  await main.evaluate((element) => element.scrollTo(0, 40))
  const value = (name: string) =>
    page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) })
  const placeOf = () =>
    page.locator('dl > div').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().y))
  const before = await placeOf()

  // A value changes, one goes, and one comes.
  await put('open', { name: 'Before', price: 2, tags: ['new'] })
  await value('Price').locator('dd', { hasText: /^2$/ }).waitFor()
  await page.getByText('Changed: Price, Stock, Tags').waitFor({ state: 'attached' })
  expect(await page.locator('[data-changed] dt').allTextContents()).toEqual([
    'Price',
    'Stock',
    'Tags',
  ])
  expect(await placeOf()).toEqual(before)
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Compare')
  expect(await main.evaluate((element) => element.scrollTop)).toBe(40)
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
  await expect.poll(() => page.locator('[data-changed]').count()).toBe(0)

  await suite.service.write('shop', 'item', [{ delete: 'open' }])
  await page.getByText('was deleted').waitFor()
  expect(await value('Price').locator('dd').textContent()).toBe('2')
  expect(await placeOf()).toEqual(before)
  await expect.poll(() => accessibilityFaults(page)).toEqual([])

  await put('open', { name: 'Back', price: 3 })
  await page.getByRole('heading', { name: 'Back' }).waitFor()
  expect(await page.getByText('was deleted').count()).toBe(0)
})

it('updates the object beside the table, with no request more than the one of the table', async () => {
  await put('p1', { name: 'Beside', price: 1, makerCode: 'beside' })
  const page = await suite.visit('/favicon.svg')
  const requests = watchRequests(page)
  await page.goto(`${suite.service.url}/o/shop/item?w=makerCode:eq:beside&peek=p1`)
  const beside = page.getByRole('complementary', { name: 'Object p1' })
  await beside.getByText('Beside').first().waitFor()
  await live(page).waitFor()
  await requests.settled()
  expect(requests.waiting()).toBe(1)
  await put('p1', { name: 'Changed', price: 1, makerCode: 'beside' })
  await beside.getByText('Changed', { exact: true }).first().waitFor()
  expect(await beside.locator('[data-changed] dt').allTextContents()).toEqual(['Name'])
  // The row is as it was read.
  expect(await page.getByRole('gridcell', { name: 'Beside', exact: true }).count()).toBe(1)
  await suite.service.write('shop', 'item', [{ delete: 'p1' }])
  await beside.getByText('was deleted').waitFor()
})
