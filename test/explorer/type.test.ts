/** How a person renames and deletes an object type. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityFaults, openBrowser, openExplorer, openPage } from '../support/browser.ts'
import { ITEM_COUNT, startShop } from '../support/explorer-data.ts'
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

const BUTTON = { name: 'Rename or delete the type' }

async function definition() {
  const { body } = await service.send('/api/admin/v1/ontologies/shop')
  return body as unknown as {
    objectTypes: { apiName: string; displayName?: string }[]
    linkTypes: { from: string; to: string }[]
  }
}

it('offers neither without the write scope', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  const token = await service.createToken()
  await openExplorer(page, { url: service.url, token, path: '/o/shop/maker' })
  await page.getByRole('gridcell', { name: 'Brass Works' }).waitFor()
  expect(await page.getByRole('button', BUTTON).count()).toBe(0)
})

it('renames a type, whose objects and links stay', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/o/shop/maker' })
  await page.getByRole('button', BUTTON).click()
  const name = page.getByLabel('API name')
  await name.fill('item')
  await page.getByText('shop has a type of this name already.').waitFor()
  await expect
    .poll(() => page.getByRole('button', { name: 'Rename', exact: true }).isDisabled())
    .toBe(true)
  await name.fill('producer')
  await page.getByLabel('Name on the screen').fill('Producer')
  await page.getByText('no longer find the type').waitFor()
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.waitForURL('**/o/shop/producer')
  await page.getByRole('heading', { name: 'Producer', exact: true }).waitFor()
  await page.getByRole('gridcell', { name: 'Brass Works' }).waitFor()
  await page.getByText('Renamed maker to producer.').waitFor()
  const { objectTypes, linkTypes } = await definition()
  expect(objectTypes.map(({ apiName }) => apiName)).toEqual(['item', 'producer'])
  expect(linkTypes).toMatchObject([{ from: 'item', to: 'producer' }])
  expect(faults()).toEqual([])
})

it('deletes a type after it has said what goes with it', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/o/shop/item' })
  await page.getByRole('button', BUTTON).click()
  await page.getByRole('button', { name: 'Delete the type…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete Item' })
  await dialog
    .getByText(`This deletes item with ${ITEM_COUNT} objects and 1 link type. It cannot be undone`)
    .waitFor()
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect((await definition()).objectTypes).toHaveLength(2)

  await page.getByRole('button', BUTTON).click()
  await page.getByRole('button', { name: 'Delete the type…' }).click()
  await page.getByRole('button', { name: 'Delete the type and its objects' }).click()
  await page.waitForURL('**/o/shop')
  await page.getByText(`Deleted item with ${ITEM_COUNT} objects.`).waitFor()
  const { objectTypes, linkTypes = [] } = await definition()
  expect(objectTypes.map(({ apiName }) => apiName)).not.toContain('item')
  expect(linkTypes).toEqual([])
  expect((await service.send('/api/v1/ontologies/shop/objects/item')).status).toBe(404)
  expect(faults()).toEqual([])
})
