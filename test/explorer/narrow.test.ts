/** Every screen and dialog on a phone. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { explorerSuite } from '../support/explorer-suite.ts'

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
  ['/o/shop/item?view=pictures', 'region'],
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
    ['export', () => page.locator('#tool-export').click()],
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
