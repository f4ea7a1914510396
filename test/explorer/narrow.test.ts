/** Every screen and dialog on a phone. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { ITEM_COUNT } from '../support/explorer-data.ts'
import { explorerSuite } from '../support/explorer-suite.ts'
import { counted } from '../support/walked-rows.ts'

const suite = explorerSuite()
const PHONE = { width: 360, height: 740 } as const
const OPEN_LAYER = 'dialog[open], [popover]:popover-open'

const settled = (page: Page) =>
  page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
const widthOf = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth')

it.each([
  ['/', 'heading'],
  ['/o/shop/item', 'gridcell'],
  ['/o/shop/item?w=makerCode:eq:m1&at=snapshot', 'gridcell'],
  ['/o/shop/item?view=charts', 'region'],
  ['/o/shop/item?view=charts&p=makerCode,isNew', 'button'],
  ['/o/shop/item?view=charts&p=makerCode,isNew~as:pivot', 'table'],
  ['/o/shop/item?view=map', 'application'],
  ['/o/shop/item/i004', 'definition'],
  ['/o/shop/item/i001?with=i003', 'row'],
  ['/o/shop/maker/m1/items', 'gridcell'],
] as const)('fits a screen of 360 pixels: %s', async (path, role) => {
  const page = await suite.visit(path, PHONE)
  await page.getByRole(role).first().waitFor()
  await settled(page)
  await expect.poll(() => widthOf(page)).toBeLessThanOrEqual(PHONE.width)
})

it('shows every dialog within a screen of 360 pixels', async () => {
  const page = await suite.visit('/o/shop/item', PHONE)
  await page.getByRole('gridcell').first().waitFor()
  const openers: readonly (readonly [name: string, open: () => Promise<unknown>])[] = [
    ['filter', () => page.locator('#tool-filter').click()],
    ['columns', () => page.locator('#tool-columns').click()],
    [
      'export',
      async () => {
        await page.getByRole('button', { name: 'More tools' }).click()
        await page.locator('#tool-export').click()
      },
    ],
    ['column', () => page.getByRole('button', { name: 'Column name', exact: true }).click()],
    ['palette', () => page.keyboard.press('Control+k')],
    ['new', () => page.getByRole('button', { name: 'New', exact: true }).click()],
  ]
  for (const [name, open] of openers) {
    await open()
    const layer = page.locator(OPEN_LAYER)
    await layer.first().waitFor()
    const box = await layer.first().boundingBox()
    expect([name, (box?.x ?? -1) >= 0, (box?.x ?? 0) + (box?.width ?? 0) <= PHONE.width]).toEqual([
      name,
      true,
      true,
    ])
    expect([name, await widthOf(page)]).toEqual([name, PHONE.width])
    await page.keyboard.press('Escape')
    await layer.first().waitFor({ state: 'detached' })
  }
})

it('leaves room for rows: the tools of a phone take two lines', async () => {
  for (const width of [360, 390]) {
    const page = await suite.visit('/o/shop/item', { width, height: 844 })
    await counted(page, `${ITEM_COUNT} read`)
    const tools = page.locator('main h1').locator('xpath=..')
    const lines = new Set<number>()
    for (const tool of await tools.locator('xpath=./*').all()) {
      const box = await tool.boundingBox()
      if (box !== null && box.width > 0) lines.add(Math.floor((box.y + box.height / 2) / 20))
    }
    expect([width, lines.size]).toEqual([width, 2])
    const box = await tools.boundingBox()
    expect(box?.height).toBeLessThan(90)
    await expect.poll(() => page.getByRole('button', { name: 'Export' }).isVisible()).toBe(false)
    await page.getByRole('button', { name: 'More tools' }).click()
    await page.getByRole('button', { name: 'Export' }).waitFor()
  }
})

it('shows the name, the order and the menu of a column beside each other without hover', async () => {
  await using touched = await suite.visitElsewhere('/o/shop/item?o=price:desc', {
    width: 390,
    height: 844,
    isTouch: true,
  })
  const { page } = touched
  for (const name of ['Price', 'Stock', 'Name', 'Place']) {
    const head = page.getByRole('columnheader').filter({ hasText: name }).first()
    await head.scrollIntoViewIfNeeded()
    const parts = head.locator(`span:text-is("${name}"), button > svg`)
    const boxes = (await Promise.all((await parts.all()).map((part) => part.boundingBox())))
      .flatMap((box) => (box === null ? [] : [box]))
      .toSorted((a, b) => a.x - b.x)
    // The name and the menu; the arrow of the order as well.
    expect([name, boxes.length]).toEqual([name, name === 'Price' ? 3 : 2])
    for (const [index, box] of boxes.entries()) {
      const next = boxes[index + 1]
      if (next !== undefined) expect([name, box.x + box.width <= next.x]).toEqual([name, true])
    }
    const text = page
      .locator('span')
      .filter({ hasText: new RegExp(`^${name}$`) })
      .first()
    const isCut = await text.evaluate((element) => element.scrollWidth > element.clientWidth)
    expect([name, isCut]).toEqual([name, false])
  }
})
