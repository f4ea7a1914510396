/** How a person changes objects in the explorer, and takes a change back. */
import type { Browser } from 'playwright-core'
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

const path = '/api/v1/ontologies/shop/objects/item/i001'
const read = async () => (await service.send(path)).body?.properties

it('shows the changes before it saves them, and undoes the last one', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/o/shop/item/i001' })
  const before = await read()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Name (string)').fill('Renamed')
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByText('Renamed').waitFor()
  expect(await read()).toEqual(before)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Renamed' }).waitFor()
  expect(await read()).toEqual({ ...before, name: 'Renamed' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: 'Item 1' }).waitFor()
  expect(await read()).toEqual(before)
  expect(faults()).toEqual([])
})

it('shows both versions when somebody else changed the object', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/o/shop/item/i001' })
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Name (string)').fill('Mine')
  await service.send('/api/admin/v1/ontologies/shop/objects/item/i001', {
    method: 'PATCH',
    json: { price: 99 },
  })
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  const versions = page.getByRole('region', { name: 'Both versions' })
  await versions.getByText('Mine').waitFor()
  await versions.getByText('99').waitFor()
  expect(await read()).toMatchObject({ name: 'Item 1', price: 99 })
  expect(faults()).toEqual([])
})

it('deletes after a confirmation, and brings the object back', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/o/shop/item/i001' })
  const before = await read()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL('**/o/shop/item')
  expect((await service.send(path)).status).toBe(404)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('status').filter({ hasText: 'Deleted' }).waitFor({ state: 'detached' })
  expect(await read()).toEqual(before)
  expect(faults()).toEqual([])
})

it('shows none of it without the write scope', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  const token = await service.createToken()
  await openExplorer(page, { url: service.url, token, path: '/o/shop/item/i001' })
  await page.getByRole('heading', { name: 'Item 1' }).waitFor()
  await page.getByText(/^test/).waitFor()
  expect(await page.getByRole('button', { name: /Edit|Delete/ }).count()).toBe(0)
})
