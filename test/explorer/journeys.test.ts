/** What a person does in the explorer, in a real browser on a real service. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser, openExplorer, openPage, type WatchedPage } from '../support/browser.ts'
import { ITEM_COUNT, MARKUP, ODD_KEYS, startShop } from '../support/explorer-data.ts'
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

/** Opens an address, signed in as the administrator. */
async function visit(path: string, options = {}): Promise<WatchedPage> {
  const watched = await openPage(browser, options)
  await openExplorer(watched.page, { url: service.url, token: ADMIN_TOKEN, path })
  return watched
}

const waitForRows = ({ page }: WatchedPage) => page.getByRole('gridcell').first().waitFor()

it('shows the types with their counts, and opens one', async () => {
  await using watched = await visit('/')
  const { page, faults } = watched
  await page.getByRole('heading', { name: 'Shop' }).waitFor()
  const card = page.getByRole('link', { name: /Item/ }).filter({ hasText: String(ITEM_COUNT) })
  await card.click()
  await waitForRows(watched)
  expect(new URL(page.url()).pathname).toBe('/o/shop/item')
  expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe(String(ITEM_COUNT + 1))
  expect(faults()).toEqual([])
})

it('keeps the whole view in the address: back, forward, reload, another browser', async () => {
  await using watched = await visit('/o/shop/item?w=makerCode:eq:m1&o=price:desc')
  const { page, faults } = watched
  const first = page.locator('[aria-rowindex="2"] [data-cell="0"]')
  await page.getByText('i058').first().waitFor()
  expect(await first.textContent()).toBe('i058')

  await first.click()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Item 58' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/o/shop/item/i058')

  await page.goBack()
  await page.getByText('i058').first().waitFor()
  expect(new URL(page.url()).search).toContain('makerCode')
  await page.goForward()
  await page.getByRole('heading', { name: 'Item 58' }).waitFor()
  await page.goBack()
  await page.reload()
  await page.getByText('i058').first().waitFor()
  expect(await first.textContent()).toBe('i058')

  await using shared = await visit(page.url().slice(service.url.length))
  await shared.page.getByText('i058').first().waitFor()
  expect(await shared.page.locator('[aria-rowindex="2"] [data-cell="0"]').textContent()).toBe(
    'i058',
  )
  expect(page.url()).not.toContain(ADMIN_TOKEN)
  expect([...faults(), ...shared.faults()]).toEqual([])
})

it('opens objects whose keys an address must encode', async () => {
  await using watched = await visit('/o/shop/item')
  const { page, faults } = watched
  for (const [index, key] of ODD_KEYS.entries()) {
    await page.goto(`${service.url}/o/shop/item/${encodeURIComponent(key)}`)
    await page.getByRole('heading', { name: `Odd ${index}` }).waitFor()
    expect(await page.getByRole('definition').allTextContents()).toContain(key)
  }
  await page.goto(`${service.url}/o/shop/item?w=id:eq:${encodeURIComponent('a/b')}`)
  await page.locator('[aria-rowindex="2"] [data-cell="0"]', { hasText: 'a/b' }).click()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Odd 0' }).waitFor()
  expect(faults()).toEqual([])
})

it('shows markup in values as text', async () => {
  await using watched = await visit('/o/shop/item?w=id:prefix:x')
  const { page, faults } = watched
  for (const [index, text] of MARKUP.entries()) {
    await page.goto(`${service.url}/o/shop/item/x${index}`)
    const title = page.getByRole('heading', { level: 1 }).filter({ hasText: text })
    await title.waitFor()
    expect(await title.textContent()).toBe(text)
  }
  await page.goto(`${service.url}/o/shop/item?w=id:eq:x0`)
  await waitForRows(watched)
  await page
    .locator('[data-cell]', { hasText: MARKUP[0] ?? '' })
    .first()
    .waitFor()
  expect(await page.locator('main script, main iframe, main img').count()).toBe(0)
  expect(faults()).toEqual([])
})

it('works without a mouse', async () => {
  await using watched = await visit('/')
  const { page, faults } = watched
  await page.getByRole('heading', { name: 'Shop' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('maker')
  await page.keyboard.press('Enter')
  await waitForRows(watched)
  expect(new URL(page.url()).pathname).toBe('/o/shop/maker')

  await page.keyboard.press('Control+k')
  await page.keyboard.type('item')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/o/shop/item')
  await waitForRows(watched)
  await page.locator('[data-cell="0"][tabindex="0"]').focus()
  await page.keyboard.press('ArrowDown')
  await page.locator('[aria-rowindex="3"] [data-cell="0"]:focus').waitFor()
  const key = await page.locator('[aria-rowindex="3"] [data-cell="0"]').textContent()
  await page.keyboard.press('=')
  await page.getByRole('list', { name: 'Filters' }).waitFor()
  await page.locator('[data-cell="0"]', { hasText: key ?? '' }).waitFor()
  // The row is the only one now, and the focus is still in the table.
  await page.locator('[aria-rowindex="2"] [data-cell="0"]:focus').waitFor()
  await page.keyboard.press('Enter')
  const path = `/o/shop/item/${encodeURIComponent(key ?? '')}`
  await page.waitForURL(({ pathname }) => pathname === path)
  expect(faults()).toEqual([])
})

it.each(['/', '/o/shop/item', '/o/shop/item?view=pictures', '/o/shop/item/i001'])(
  'fits a screen of 360 pixels: %s',
  async (path) => {
    await using watched = await visit(path, { width: 360, height: 740 })
    const { page, faults } = watched
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.locator('[aria-busy="true"]').waitFor({ state: 'detached' })
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(360)
    expect(faults()).toEqual([])
  },
)
