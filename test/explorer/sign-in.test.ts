/** How a person gets into the explorer, and out of it. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser, openExplorer, openPage } from '../support/browser.ts'
import { startShop } from '../support/explorer-data.ts'
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

const storedToken = (page: Page) => page.evaluate("sessionStorage.getItem('oqs.token')")

it('takes a token once, keeps it for the tab, and forgets it on sign-out', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, path: '/o/shop/maker' })
  await page.getByLabel('Token').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  expect(await storedToken(page)).toBeNull()

  await page.getByLabel('Token').fill(ADMIN_TOKEN)
  await page.keyboard.press('Enter')
  await page.getByRole('gridcell', { name: 'Brass Works' }).waitFor()
  await page.reload()
  await page.getByRole('gridcell', { name: 'Brass Works' }).waitFor()
  expect(page.url()).not.toContain(ADMIN_TOKEN)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Token').waitFor()
  expect(await storedToken(page)).toBeNull()
  expect(await page.getByRole('gridcell').count()).toBe(0)
  expect(faults()).toEqual([])
})
