/** Popups and long titles: what opens is whole on the screen, and leaves the focus where it was. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { accessibilityFaults } from '../support/browser.ts'
import { explorerSuite } from '../support/explorer-suite.ts'

const suite = explorerSuite()
const LONG_NAME = 'The Quite Remarkable and Very Old Foundry of Upper Lower Saxony'

const focused = (page: Page) =>
  page.evaluate<string>(
    `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`,
  )

/** Adds an item with a long title, of a maker with one. */
async function putLongNames(): Promise<void> {
  await suite.service.put('shop', 'maker', [{ code: 'm9', name: LONG_NAME }])
  await suite.service.put('shop', 'item', [{ id: 'long9', name: LONG_NAME, makerCode: 'm9' }])
}

it('shows all of a popup whose content is loaded later', async () => {
  const page = await suite.visit('/o/shop/item', { width: 900 })
  await page.getByRole('gridcell').first().waitFor()
  // At the right edge, where a panel that grows would leave the screen.
  await page.getByRole('button', { name: 'Views' }).click()
  const panel = page.getByRole('dialog', { name: 'Saved views' })
  await panel.getByLabel('Save this view as').waitFor()
  const right = async () => {
    const box = await panel.boundingBox()
    return (box?.x ?? 0) + (box?.width ?? Number.POSITIVE_INFINITY)
  }
  await expect.poll(right).toBeLessThanOrEqual(900)
})

it('returns the focus to the cell or the menu that a popup was opened from', async () => {
  const page = await suite.visit('/o/shop/item')
  await page.getByRole('gridcell').filter({ hasText: '1.25' }).first().click()
  const name = await focused(page)
  expect(name).toContain('1.25')
  await page.keyboard.press('f')
  const filter = page.getByRole('dialog', { name: 'New filter' })
  await filter.waitFor()
  expect(await focused(page)).not.toBe(name)
  await page.keyboard.press('Escape')
  await filter.waitFor({ state: 'hidden' })
  await expect.poll(() => focused(page)).toBe(name)

  const columns = page.getByRole('button', { name: 'Columns' })
  await columns.focus()
  await page.keyboard.press('Enter')
  const boxes = page.getByRole('dialog', { name: 'Columns' })
  await boxes.getByRole('checkbox').nth(1).focus()
  await page.keyboard.press('Escape')
  await boxes.waitFor({ state: 'hidden' })
  await expect.poll(() => focused(page)).toContain('Columns')
})

it('takes the focus when a key opens it, so that the next keys are for its content', async () => {
  const page = await suite.visit('/o/shop/item')
  await page.getByRole('gridcell').first().click()
  await page.keyboard.press('c')
  const columns = page.getByRole('dialog', { name: 'Columns' })
  await columns.waitFor()
  await expect.poll(() => focused(page)).toBe('Columns')
  await page.keyboard.press('Tab')
  const isInside = `document.activeElement.closest('[role=dialog]')?.ariaLabel`
  expect(await page.evaluate(isInside)).toBe('Columns')
})

it('shows long titles of linked objects within the screen, with their keys', async () => {
  await putLongNames()
  const page = await suite.visit('/o/shop/item/long9', { width: 900 })
  const key = page.getByRole('complementary', { name: 'Map and links' }).getByText('m9')
  await key.waitFor()
  const box = await key.boundingBox()
  expect((box?.x ?? 0) + (box?.width ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(900)
})

it('shows the keys of found objects whose titles are cut', async () => {
  await putLongNames()
  const page = await suite.visit('/', { width: 390 })
  await page.getByRole('button', { name: /^Find/ }).click()
  await page.keyboard.type('remarkable')
  const option = page.getByRole('option').filter({ hasText: 'long9' })
  const [outer, key] = [await option.boundingBox(), await option.getByText('long9').boundingBox()]
  expect((key?.x ?? 0) + (key?.width ?? Number.POSITIVE_INFINITY)).toBeLessThan(
    (outer?.x ?? 0) + (outer?.width ?? 0),
  )
})

it('counts rows below the table only', async () => {
  const page = await suite.visit('/o/shop/item')
  const bar = page.getByLabel('Pages', { exact: true })
  await bar.getByText('read of').waitFor()
  await page.getByRole('button', { name: 'Charts', exact: true }).click()
  await page.getByRole('group', { name: 'Price' }).waitFor()
  expect(await bar.getByText('read of').count()).toBe(0)
})

it('names the tools that a phone shows on demand', async () => {
  await using touched = await suite.visitElsewhere('/o/shop/item', {
    width: 390,
    height: 844,
    isTouch: true,
  })
  const { page } = touched
  await page.getByRole('button', { name: 'More tools' }).tap()
  for (const text of ['Values', 'Export', 'Views', 'Load a file', 'Type', 'Request']) {
    const box = await page.getByText(text, { exact: true }).boundingBox()
    // What only screen readers get is a pixel wide.
    expect([text, (box?.width ?? 0) > 10]).toEqual([text, true])
  }
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
})

it('names the tools on a tablet, where nothing can hover', async () => {
  const size = { width: 820, height: 1180 }
  await using touched = await suite.visitElsewhere('/o/shop/item', { ...size, isTouch: true })
  for (const text of ['Load a file', 'Type']) {
    await touched.page.getByText(text, { exact: true }).waitFor()
  }
  // A mouse asks for the name.
  const page = await suite.visit('/o/shop/item', size)
  const tool = page.getByRole('button', { name: 'Load a file' })
  await tool.waitFor()
  expect(await tool.getByText('Load a file').isVisible()).toBe(false)
})

it('lists the values where there is no room for them beside the table', async () => {
  await using touched = await suite.visitElsewhere('/o/shop/item', {
    width: 390,
    height: 844,
    isTouch: true,
  })
  const { page } = touched
  await page.getByRole('button', { name: 'More tools' }).tap()
  await page.getByRole('button', { name: 'Values' }).tap()
  const values = page.getByRole('dialog', { name: 'Values and their counts' })
  await values.getByRole('checkbox', { name: 'm1 20' }).tap()
  await page.getByLabel('Pages', { exact: true }).getByText('20 read of 20').waitFor()
  await page.getByRole('list', { name: 'Filters' }).getByText('Brass Works').waitFor()
  expect(await accessibilityFaults(page, '[popover]:popover-open')).toEqual([])
})
