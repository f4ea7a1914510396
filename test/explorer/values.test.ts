/** Values that try to be markup, and keys that an address must encode. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { MARKUP, ODD_KEYS } from '../support/explorer-data.ts'
import { explorerSuite } from '../support/explorer-suite.ts'

const suite = explorerSuite()

const foreignElements = (page: Page) =>
  page.locator('main script, main iframe, main img, main [onload], main [onerror]').count()

it('shows markup in values as text, on every screen', async () => {
  const page = await suite.visit('/o/shop/item?w=id:prefix:x')
  for (const [index, text] of MARKUP.entries()) {
    await page.goto(`${suite.service.url}/o/shop/item/x${index}`)
    const title = page.getByRole('heading', { level: 1 }).filter({ hasText: text })
    await title.waitFor()
    await expect.poll(() => title.textContent()).toBe(text)
    await expect.poll(() => foreignElements(page)).toBe(0)
  }
  const [script = '', image = ''] = MARKUP
  await page.goto(`${suite.service.url}/o/shop/item?w=id:eq:x0&peek=x1`)
  await page.locator('[role="gridcell"]', { hasText: script }).first().waitFor()
  await page.getByRole('complementary', { name: 'Object x1' }).getByText(image).first().waitFor()
  await page.getByRole('navigation', { name: 'Values' }).getByText(script).first().waitFor()
  await expect.poll(() => foreignElements(page)).toBe(0)
  await page.goto(
    `${suite.service.url}/o/shop/item?view=charts&w=tags:contains:${encodeURIComponent(script)}`,
  )
  // Long labels of a picture are cut.
  const picture = page.getByRole('region', { name: 'Tags' })
  await picture.getByText(script.slice(0, 8)).first().waitFor()
  await expect.poll(() => foreignElements(page)).toBe(0)
})

it('opens objects whatever their keys contain', async () => {
  const page = await suite.visit('/o/shop/item')
  for (const [index, key] of ODD_KEYS.entries()) {
    await page.goto(`${suite.service.url}/o/shop/item/${encodeURIComponent(key)}`)
    await page.getByRole('heading', { name: `Odd ${index}` }).waitFor()
    await expect.poll(() => page.getByRole('definition').allTextContents()).toContain(key)
  }
  await page.goto(`${suite.service.url}/o/shop/item?w=id:eq:${encodeURIComponent('a/b')}`)
  await page.locator('[aria-rowindex="2"] [aria-colindex="1"]', { hasText: 'a/b' }).click()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Odd 0' }).waitFor()
})
