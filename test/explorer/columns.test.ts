/** The columns of a table: their order, which of them stay, their widths; and the end of the table. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { startWalks, WALK_COUNT } from '../support/explorer-data.ts'
import { explorerSuite } from '../support/explorer-suite.ts'
import { counted } from '../support/walked-rows.ts'

const suite = explorerSuite(startWalks)

async function open(path: string): Promise<Page> {
  const page = await suite.visit(path)
  await page.locator('[aria-rowindex="2"] a').first().waitFor()
  return page
}

const head = (page: Page, name: string) =>
  page.getByRole('columnheader').filter({ has: page.getByText(name, { exact: true }) })
const names = (page: Page) => page.locator('[role="columnheader"] [data-name]').allTextContents()
const search = (page: Page) => new URL(page.url()).search

async function choose(page: Page, column: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Column ${column}`, exact: true }).click()
  await page.getByRole('button', { name: item, exact: true }).click()
}

async function drag(page: Page, from: string, to: string): Promise<void> {
  const middle = async (name: string) => {
    const box = await head(page, name).boundingBox()
    return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + 12 }
  }
  const [start, end] = [await middle(from), await middle(to)]
  await page.mouse.move(start.x, start.y)
  await page.mouse.down()
  await page.mouse.move((start.x + end.x) / 2, end.y)
  await page.mouse.move(end.x + Math.sign(end.x - start.x) * 8, end.y)
  await page.mouse.up()
}

it('moves columns by dragging and by the menu, and does not sort by it', async () => {
  const page = await open('/o/shop/item?c=name,price,stock')
  await drag(page, 'Stock', 'Name')
  await expect.poll(() => names(page)).toEqual(['ID', 'Stock', 'Name', 'Price'])
  expect(search(page)).toBe('?c=stock,name,price')
  await choose(page, 'stock', 'Move right')
  await expect.poll(() => names(page)).toEqual(['ID', 'Name', 'Stock', 'Price'])
  // The key stays the first.
  await drag(page, 'Price', 'ID')
  await expect.poll(() => names(page)).toEqual(['ID', 'Price', 'Name', 'Stock'])
  await head(page, 'Price').getByRole('button', { name: 'Price', exact: true }).click()
  await page.waitForURL('**/*o=price:asc*')
})

it('pins columns beside the key, as far as there is room', async () => {
  const page = await open('/o/shop/item')
  await choose(page, 'makerCode', 'Pin')
  await expect.poll(() => names(page)).toContain('Maker code')
  expect(search(page)).toBe('?pin=makerCode')
  expect((await names(page)).slice(0, 3)).toEqual(['ID', 'Maker code', 'Name'])
  const x = async () => (await head(page, 'Maker code').boundingBox())?.x
  const before = await x()
  await page.getByRole('grid').evaluate((grid) => grid.scrollTo(200, 0))
  await expect.poll(() => page.getByRole('grid').evaluate((grid) => grid.scrollLeft)).toBe(200)
  expect(await x()).toBe(before)
  // An active cell is scrolled to where pinned columns do not cover it.
  await page.locator('[aria-rowindex="2"] [aria-colindex="5"]').click()
  await page.locator('[aria-rowindex="2"] [aria-colindex="5"]:focus').press('ArrowLeft')
  await page.locator('[aria-rowindex="2"] [aria-colindex="4"]:focus').press('ArrowLeft')
  const cell = page.locator('[aria-rowindex="2"] [aria-colindex="3"]:focus')
  const pinned = page.locator('[aria-rowindex="2"] [aria-colindex="2"]')
  const right = async () => {
    const box = await pinned.boundingBox()
    return (box?.x ?? 0) + (box?.width ?? 0)
  }
  await expect.poll(async () => ((await cell.boundingBox())?.x ?? 0) >= (await right())).toBe(true)

  await page.setViewportSize({ width: 390, height: 800 })
  await page.getByRole('grid').evaluate((grid) => grid.scrollTo(400, 0))
  await expect.poll(async () => ((await x()) ?? 0) < 0).toBe(true)
  await page.setViewportSize({ width: 1280, height: 800 })
  await choose(page, 'makerCode', 'Unpin')
  await page.waitForURL(/item$/)
})

it('fits a column to its values by a double click, a key and the menu', async () => {
  const page = await open('/o/shop/item?c=name,tags,makerCode')
  await page.getByRole('link', { name: 'Anvil & Sons' }).first().waitFor()
  const width = async (name: string) => {
    const edge = page.getByRole('separator', { name: `Width of ${name}` })
    return Number(await edge.getAttribute('aria-valuenow'))
  }
  const isCut = (index: number) =>
    page
      .locator(`[role="gridcell"][aria-colindex="${index}"]`)
      .evaluateAll((cells) => cells.some((cell) => cell.scrollWidth > cell.clientWidth))
  const edge = page.getByRole('separator', { name: 'Width of name' })
  await edge.focus()
  for (let press = 0; press < 8; press += 1) await page.keyboard.press('ArrowLeft')
  expect(await isCut(2)).toBe(true)
  await edge.dblclick()
  await expect.poll(() => isCut(2)).toBe(false)
  const fitted = await width('name')
  await edge.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  expect(await width('name')).toBe(fitted)
  // The title of a linked object, and its key.
  await choose(page, 'makerCode', 'Fit to values')
  const link = page.getByRole('link', { name: 'Anvil & Sons' }).first()
  expect(await link.evaluate((each) => each.scrollWidth <= each.clientWidth)).toBe(true)
})

it('leads from titles and foreign keys to objects, by mouse and by Enter', async () => {
  const page = await open('/o/shop/item?w=makerCode:eq:m1&c=name,makerCode')
  await page.getByRole('link', { name: 'Item 7', exact: true }).click()
  await page.waitForURL(/\/o\/shop\/item\/i007\?w=makerCode:eq:m1$/)
  await page.goBack()
  await page.getByRole('link', { name: 'Brass Works' }).first().waitFor()
  await page.getByRole('gridcell').and(page.locator(':focus')).press('End')
  await page.locator('[aria-colindex="3"]:focus').press('Enter')
  await page.waitForURL('**/o/shop/maker/m1')
})

it('goes to the end without the rows between, and reads those from both sides', async () => {
  const page = await open('/o/walks/row?o=name:asc')
  await counted(page, '1,000 read of 2,500')
  const sorted = Array.from({ length: WALK_COUNT }, (_, id) => `row ${id}`).toSorted()
  const rowAt = (row: number) => page.locator(`[aria-rowindex="${row + 1}"]`)
  const focused = (row: number) => rowAt(row).locator(':focus')
  await page.keyboard.press('Control+End')
  await focused(WALK_COUNT)
    .filter({ hasText: String(sorted.at(-1)) })
    .waitFor()
  await counted(page, '2,000 read of 2,500')
  await page.keyboard.press('Control+Home')
  await focused(1).waitFor()

  await page.keyboard.press('Control+f')
  await page.getByLabel('Find', { exact: true }).fill(`${sorted[2000]}`)
  await page.keyboard.press('Enter')
  await focused(2001).waitFor()
  await page.getByRole('button', { name: 'Close' }).click()

  // Scrolling up from the end closes the gap.
  await page.getByRole('grid').evaluate((grid) => grid.scrollTo(0, 32 * 1500))
  await counted(page, '2,500 read of 2,500')
  await rowAt(1500).getByText(String(sorted[1499]), { exact: true }).waitFor()
})
