/** The table of a type: columns, filters, facets, finding, copying, saved views. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { accessibilityFaults } from '../support/browser.ts'
import { ITEM_COUNT } from '../support/explorer-data.ts'
import { explorerSuite } from '../support/explorer-suite.ts'
import { ADMIN_TOKEN } from '../support/service.ts'
import { counted, toEnd } from '../support/walked-rows.ts'

const run = promisify(execFile)

const suite = explorerSuite()

async function openItems(search = ''): Promise<Page> {
  const page = await suite.visit(`/o/shop/item${search}`)
  await page.locator('[aria-rowindex="2"] [role="gridcell"]').first().waitFor()
  return page
}

const column = (page: Page, name: string) =>
  page.getByRole('button', { name: `Column ${name}`, exact: true })
const firstKey = (page: Page) => page.locator('[aria-rowindex="2"] [aria-colindex="1"]')

it('shows each type as a card with its count, links and picture', async () => {
  const page = await suite.visit('/')
  const card = page.getByRole('link', { name: /^Item/ })
  await card.getByText(String(ITEM_COUNT)).waitFor()
  await card.getByText('Maker', { exact: true }).waitFor()
  await card.locator('svg path').first().waitFor({ state: 'attached' })
})

it('orders, hides and filters from the menu of a column, and the address follows', async () => {
  const page = await openItems()
  await column(page, 'price').click()
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
})

it('widens a column by keys, and keeps the width for the tab', async () => {
  const page = await openItems()
  const edge = page.getByRole('separator', { name: 'Width of name' })
  // Columns fit their values as soon as the first page has arrived.
  await counted(page, `${ITEM_COUNT} read`)
  const before = Number(await edge.getAttribute('aria-valuenow'))
  await edge.focus()
  await page.keyboard.press('ArrowRight')
  expect(Number(await edge.getAttribute('aria-valuenow'))).toBe(before + 16)
  await page.reload()
  await firstKey(page).waitFor()
  expect(Number(await edge.getAttribute('aria-valuenow'))).toBe(before + 16)
})

it('counts values exactly, and filters by those that are checked', async () => {
  const page = await openItems()
  const rail = page.getByRole('navigation', { name: 'Values' })
  await rail.getByRole('checkbox', { name: 'm1 20' }).check()
  await counted(page, '20 read of 20')
  expect(new URL(page.url()).search).toBe('?w=makerCode:eq:m1')
  await rail.getByRole('checkbox', { name: 'm0 20' }).check()
  await counted(page, '40 read of 40')
  expect(new URL(page.url()).search).toBe('?w=makerCode:in:m1,m0')
  await pill(page, 'Maker code is one of Brass Works, Anvil & Sons').waitFor()
  await rail.getByRole('checkbox', { name: 'm1 20' }).uncheck()
  await rail.getByRole('checkbox', { name: 'm0 20' }).uncheck()
  await counted(page, `${ITEM_COUNT} read`)
})

const pill = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

it('filters by several values, alternatives and linked objects, and changes them', async () => {
  const page = await openItems()
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const form = page.getByRole('dialog', { name: 'New filter' })
  await form.getByLabel('Property').selectOption({ label: 'Maker ›' })
  await form.getByLabel('Of maker').selectOption('name')
  await form.getByLabel('Condition').selectOption('in')
  await form.getByLabel('Values').fill('bra')
  await form.getByRole('checkbox', { name: 'Brass Works' }).check()
  await form.getByLabel('Values').fill('Copper Mill')
  await form.getByLabel('Values').press('Enter')
  await form.getByText('40 objects match').waitFor()
  await form.getByRole('button', { name: 'Add the filter' }).click()
  await counted(page, '40 read of 40')
  expect(new URL(page.url()).search).toBe('?w=maker/name:in:Brass%20Works,Copper%20Mill')
  await pill(page, 'Maker › Name is one of Brass Works, Copper Mill').click()
  const editor = page.getByRole('dialog', { name: 'Filter: Maker' })
  await editor.getByRole('button', { name: 'Or…' }).click()
  await editor.getByLabel('Property').last().selectOption('price')
  await editor.getByLabel('Condition').last().selectOption('between')
  await editor.getByLabel('From').fill('0')
  await editor.getByLabel('To').fill('5')
  await editor.getByRole('button', { name: 'Save' }).click()
  // Of the five cheapest, two are of the third maker.
  await counted(page, '42 read of 42')
  await page
    .getByRole('button', { name: /^Remove Maker › Name .* or Price is between 0 and 5$/ })
    .click()
  await counted(page, `${ITEM_COUNT} read`)
})

it('says that it searches, before it says that there is nothing', async () => {
  const page = await openItems()
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/v2/**', async (route) => {
    await isReleased
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Find objects' })
  const status = page.getByRole('dialog', { name: 'Commands' }).getByRole('status')
  await field.fill('brass wo')
  await status.getByText('Searching…').waitFor()
  const isRequested = page.waitForRequest('**/api/v2/**')
  await field.fill('brass works')
  await isRequested
  expect(await status.textContent()).toBe('Searching…')
  release()
  await page.getByRole('option', { name: 'Brass Works' }).waitFor()
  await field.fill('brass nothing')
  await status.getByText('Nothing has this name, key or text.').waitFor()
  await field.fill('#')
  await status.getByText('Objects are found by two characters or more.').waitFor()
  await page.unroute('**/api/v2/**')
})

it('finds objects of all types by key, title and text', async () => {
  const page = await openItems()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Find objects' })
  const first = page.getByRole('option').first()
  await field.fill('bras')
  await page
    .getByRole('option')
    .filter({ hasText: 'Brass Works' })
    .filter({ hasText: 'Maker' })
    .waitFor()
  await field.fill('i007')
  await first.filter({ hasText: 'Item 7' }).waitFor()
  await field.press('Enter')
  await page.waitForURL('**/o/shop/item/i007')
})

it('says how words match where nothing is found, and what would', async () => {
  const page = await suite.visit('/o/shop/item?q=ite%2012')
  await page.getByText('Words must match as a whole, the last one as a beginning.').waitFor()
  await page.getByRole('button', { name: 'Search for words that start so (1)' }).click()
  await counted(page, '1 read of 1')
  expect(new URL(page.url()).searchParams.get('q')).toBe('ite* 12*')
})

it('filters by a property of each type', async () => {
  const page = await openItems()
  const filters: readonly (readonly [
    field: string,
    operator: string,
    value: string | undefined,
    expected: readonly [filter: string, count: number],
  ])[] = [
    ['name', 'prefix', 'item', ['name:prefix:item', 60]],
    ['stock', 'gte', '9007199254741042', ['stock:gte:9007199254741042', 11]],
    ['soldAt', 'lt', '2026-02-01', ['soldAt:lt:2026-02-01T00:00:00.000Z', 31]],
    ['isNew', 'eq', undefined, ['isNew:eq:true', 30]],
    ['tags', 'contains', 'odd', ['tags:contains:odd', 30]],
    ['place', 'filled', undefined, ['place:filled:', 60]],
    ['size', 'empty', undefined, ['size:empty:', ITEM_COUNT - 60]],
  ]
  for (const [field, operator, value, [filter, count]] of filters) {
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'New filter' })
    await form.getByLabel('Property').selectOption(field)
    await form.getByLabel('Condition').selectOption(operator)
    if (value !== undefined) await form.getByLabel(/^Value/).fill(value)
    await form.getByRole('button', { name: 'Add the filter' }).click()
    await counted(page, `${count} read of ${count}`)
    expect(new URL(page.url()).searchParams.getAll('w')).toEqual([filter])
    await page
      .getByRole('list', { name: 'Filters' })
      .getByRole('button', { name: /^Remove/ })
      .click()
    await counted(page, `${ITEM_COUNT} read`)
  }
})

it('finds rows that are not rendered, and copies a cell', async () => {
  const page = await openItems()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.keyboard.press('Control+f')
  await page.getByLabel('Find', { exact: true }).fill('item 59')
  await page.keyboard.press('Enter')
  const cell = page.getByRole('gridcell', { name: 'Item 59', exact: true })
  await cell.waitFor()
  await page.locator('[role="gridcell"]:focus', { hasText: 'Item 59' }).waitFor()
  await page.keyboard.press('Control+c')
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('Item 59')
})

it('selects cells by mouse and keys, and copies them as spreadsheets take them', async () => {
  const page = await openItems('?w=makerCode:eq:m1&c=price,stock,name')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const cell = (row: number, column: number) =>
    page.locator(`[aria-rowindex="${row + 1}"] [aria-colindex="${column}"]`)
  const selected = page.locator('[role="gridcell"][aria-selected="true"]')
  const said = page.getByLabel('Pages', { exact: true }).getByRole('status')
  await cell(1, 2).hover()
  await page.mouse.down()
  await cell(2, 3).hover()
  await page.mouse.up()
  await said.getByText('2 × 2 cells selected').waitFor()
  expect(await selected.allTextContents()).toHaveLength(4)
  await page.locator('[aria-rowindex="3"] [aria-colindex="3"]:focus').waitFor()
  await page.keyboard.press('Shift+ArrowRight')
  await said.getByText('2 × 3 cells selected').waitFor()
  await page.locator('[aria-rowindex="3"] [aria-colindex="4"]:focus').waitFor()
  await page.keyboard.press('Control+c')
  await said.getByText('2 × 3 cells copied').waitFor()
  const text = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(text).toBe('1.25\t9007199254740994\tItem 1\n5\t9007199254740997\tItem 4')
  const html = await page.evaluate<string>(
    "navigator.clipboard.read().then(([item]) => item.getType('text/html')).then((blob) => blob.text())",
  )
  expect(html).toContain('Item 4</td>')
  await expect.poll(() => accessibilityFaults(page, '[role="grid"]')).toEqual([])
  await page.keyboard.press('Escape')
  await expect.poll(() => selected.count()).toBe(0)
  await cell(1, 2).click()
  await cell(4, 2).click({ modifiers: ['Shift'] })
  await said.getByText('4 × 1 cells selected').waitFor()
})

it('copies a command that prints what the table shows', async () => {
  const page = await openItems('?w=makerCode:eq:m1&w=price:gte:50&o=price:desc')
  await counted(page, '7 read of 7')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Request', exact: true }).click()
  const panel = page.getByRole('complementary', { name: 'The request behind this view' })
  await expect.poll(() => panel.locator('pre').textContent()).not.toContain(ADMIN_TOKEN)
  await panel.getByRole('button', { name: /^Copy/ }).click()
  const readClipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
  await expect.poll(readClipboard).toContain('curl')
  const command = (await readClipboard()).replace('curl', 'curl -s')
  const env = { ...process.env, OQS_TOKEN: ADMIN_TOKEN }
  const { stdout } = await run('sh', ['-c', command], { env })
  const keys = JSON.parse(stdout).data.map(({ id }: { readonly id: string }) => id)
  const shown = await page.locator('[role="gridcell"][aria-colindex="1"]').allTextContents()
  expect(keys).toEqual(shown)
})

it('saves views in the service, and finds them with types, properties and actions', async () => {
  const page = await openItems('?w=makerCode:eq:m2')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByLabel('Save this view as').fill('Copper goods')
  await page.keyboard.press('Enter')
  await page.getByLabel('Save this view as').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Objects' }).click()
  await page.getByRole('link', { name: /^Item/ }).waitFor()

  await page.keyboard.press('Control+k')
  const search = page.getByRole('combobox', { name: /^Find/ })
  await search.fill('copper')
  await page.getByRole('option', { name: 'Copper goods' }).waitFor()
  await page.keyboard.press('Enter')
  await counted(page, '20 read of 20')

  await page.keyboard.press('Control+k')
  await search.fill('take a snapshot')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/*at=snapshot*')
  await page.keyboard.press('Control+k')
  await search.fill('price')
  await page.getByRole('option', { name: 'Price' }).waitFor()
})

it('does nothing on single letters once they are switched off', async () => {
  const page = await openItems()
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

it('looks at the object of the active row, follows the arrows, and closes on Escape', async () => {
  const page = await openItems()
  const panel = (key: string) => page.getByRole('complementary', { name: `Object ${key}` })
  await page.locator('[aria-rowindex="2"] [aria-colindex="3"]').click()
  // The focus follows a click or a key with the next frame.
  const focused = (row: number) => page.locator(`[aria-rowindex="${row}"] :focus`).waitFor()
  await focused(2)
  await page.keyboard.press(' ')
  const first = await firstKey(page).textContent()
  await panel(String(first)).waitFor()
  await page.keyboard.press('ArrowDown')
  await focused(3)
  await page.keyboard.press('ArrowDown')
  await focused(4)
  const third = await page.locator('[aria-rowindex="4"] [aria-colindex="1"]').textContent()
  await panel(String(third)).waitFor()

  // The request stands beside it; a layer over the screen closes first.
  await page.getByRole('button', { name: 'Request', exact: true }).click()
  const request = page.getByRole('complementary', { name: 'The request behind this view' })
  await request.waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Find/ }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: /^Find/ }).waitFor({ state: 'detached' })
  await panel(String(third)).waitFor()
  await page.keyboard.press('Escape')
  await panel(String(third)).waitFor({ state: 'detached' })
  await request.waitFor()
  await page.keyboard.press('Escape')
  await request.waitFor({ state: 'detached' })
  await focused(4)
})

it('writes hyphens of texts as texts do', async () => {
  const page = await openItems()
  const figures = (column: number) => {
    const cell = `[aria-rowindex="2"] [aria-colindex="${column}"]`
    return page.evaluate(`getComputedStyle(document.querySelector('${cell}')).fontVariantNumeric`)
  }
  expect(await figures(2)).toBe('normal')
  expect(await figures(3)).toBe('tabular-nums')
})

it('shows long keys whole, also when a later page brings them', async () => {
  const long = 'a-key-that-is-much-longer-than-others'
  await suite.service.apply({
    apiName: 'keys',
    objectTypes: [{ apiName: 'row', primaryKey: 'id', properties: { id: { type: 'string' } } }],
  })
  const ids = Array.from({ length: 1100 }, (_, index) => `${String(index).padStart(4, '0')}`)
  await suite.service.put(
    'keys',
    'row',
    [...ids, long].map((id) => ({ id })),
  )
  const page = await suite.visit('/o/keys/row')
  await counted(page, '1,000 read of 1,101')
  await toEnd(page)
  await counted(page, '1,101 read of 1,101')
  await toEnd(page)
  const cell = page.getByRole('gridcell', { name: long })
  await cell.waitFor()
  expect(await cell.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
})

/** The row and the column of the focus, as the table counts them; the header is row 1. */
const focused = (page: Page) =>
  page.evaluate(`{
    const cell = document.activeElement?.closest('[aria-colindex]')
    const row = cell?.closest('[aria-rowindex]')
    ;[Number(row?.getAttribute('aria-rowindex')), Number(cell?.getAttribute('aria-colindex'))]
  }`)

it('takes keys once it is there, and leads back to the row that was opened', async () => {
  const page = await suite.visit('/o/shop/item')
  await expect.poll(() => focused(page)).toEqual([2, 1])
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
  await expect.poll(() => focused(page)).toEqual([4, 2])
  await page.keyboard.press('PageDown')
  await expect.poll(() => focused(page)).toEqual([24, 2])
  await page.keyboard.press('PageDown')
  await expect.poll(() => focused(page)).toEqual([44, 2])
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => focused(page)).toEqual([45, 2])
  const key = await page.locator('[aria-rowindex="45"] [aria-colindex="1"]').textContent()
  const opened = () => page.waitForURL(`**/o/shop/item/${key}*`)
  await page.keyboard.press('Enter')
  await opened()
  await page.goBack()
  await expect.poll(() => focused(page)).toEqual([45, 2])
  expect(await page.getByRole('gridcell', { name: `${key}`, exact: true }).isVisible()).toBe(true)

  // The same by the link to the list; another list starts at its top.
  await page.keyboard.press('Enter')
  await opened()
  await page.getByRole('main').getByRole('link', { name: 'Item', exact: true }).first().click()
  await expect.poll(() => focused(page)).toEqual([45, 2])
  await page.goto(`${suite.service.url}/o/shop/item?o=name:desc`)
  await expect.poll(() => focused(page)).toEqual([2, 1])
})

it('is one stop of the Tab key; arrows lead to the heads of the columns', async () => {
  const page = await suite.visit('/o/shop/item')
  await expect.poll(() => focused(page)).toEqual([2, 1])
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => focused(page)).toEqual([1, 1])
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => focused(page)).toEqual([1, 2])
  const head = page.getByRole('columnheader', { name: /^Name/ })
  const before = await head.evaluate(({ clientWidth }) => clientWidth)
  await page.keyboard.press('Shift+ArrowRight')
  await expect.poll(() => head.evaluate(({ clientWidth }) => clientWidth)).toBe(before + 16)
  await page.keyboard.press('Enter')
  await page.waitForURL(/o=name/)
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => focused(page)).toEqual([2, 2])
  const stops = await page
    .getByRole('columnheader')
    .locator('button, [tabindex="0"]')
    .evaluateAll((elements) => elements.filter(({ tabIndex }) => tabIndex >= 0).length)
  expect(stops).toBe(0)
})

it('shows no column before the first rows say how wide it is, so that none moves', async () => {
  const rows = '**/objects/item/search'
  const held = Promise.withResolvers<void>()
  const { page } = await suite.visitElsewhere('/')
  await page.route(rows, async (route) => {
    await held.promise
    await route.continue()
  })
  await page.addInitScript(`
    globalThis.shift = 0
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) globalThis.shift += value
    }).observe({ type: 'layout-shift', buffered: true })`)
  const asked = page.waitForRequest(rows)
  await page.goto(`${suite.service.url}/o/shop/item`)
  await asked
  const headers = page.locator('[role="columnheader"]')
  await headers.first().waitFor({ state: 'attached' })
  expect(await headers.first().isVisible()).toBe(false)
  held.resolve()
  await page.getByRole('gridcell').first().waitFor()
  expect(await headers.first().isVisible()).toBe(true)
  expect(await page.evaluate('globalThis.shift')).toBeLessThan(0.05)
})
