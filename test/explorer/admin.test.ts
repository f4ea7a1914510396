/** How a person administers the service in the explorer. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityFaults, openBrowser, openExplorer, openPage } from '../support/browser.ts'
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

const ME = '/api/admin/v1/me'

it('creates a token, shows its secret once, and revokes it after a confirmation', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/admin/tokens' })
  await page.getByText('No token is in use').waitFor()
  await page.getByRole('button', { name: 'New token' }).click()
  const form = page.getByRole('dialog', { name: 'New API token' })
  await page.keyboard.press('Enter')
  await form.getByRole('alert').getByText('name').waitFor()
  await page.keyboard.type('nightly report')
  await form.getByLabel('all').uncheck()
  await form.getByLabel('shop').check()
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
  await form.getByRole('button', { name: 'Create' }).click()
  const secret = (await form.getByText(/^oqs_/).textContent()) ?? ''
  await form.getByRole('button', { name: 'Copy token' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await form.getByText(secret).waitFor()
  const me = await service.send(ME, { token: secret })
  expect(me.body).toMatchObject({ name: 'nightly report', ontologies: ['shop'] })
  await form.getByRole('button', { name: 'Done' }).click()
  await page
    .getByRole('dialog', { name: 'New API token', includeHidden: true })
    .waitFor({ state: 'detached' })
  await expect.poll(() => page.content()).not.toContain(secret)

  await page.reload()
  const row = page.getByRole('row', { name: /nightly report/ })
  await row.getByText('just now').nth(1).waitFor()
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
  await row.getByRole('button', { name: 'Revoke nightly report' }).click()
  const confirmation = page.getByRole('dialog', { name: 'Revoke nightly report' })
  await page.keyboard.press('Escape')
  await confirmation.waitFor({ state: 'detached' })
  expect((await service.send(ME, { token: secret })).status).toBe(200)
  await row.getByRole('button').click()
  await confirmation.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('No token is in use').waitFor()
  expect((await service.send(ME, { token: secret })).status).toBe(401)
  await page.getByLabel('Show 1 revoked or expired').check()
  await row.getByRole('cell', { name: 'revoked' }).waitFor()
  expect(faults()).toEqual([])
})

it('creates an OAuth client and revokes it', async () => {
  await using watched = await openPage(browser, { width: 360, height: 740 })
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/admin/clients' })
  await page.getByRole('button', { name: 'New client' }).click()
  const form = page.getByRole('dialog', { name: 'New OAuth client' })
  await form.getByLabel('Name').fill('Flight board')
  await form.getByLabel('public').check()
  await form.getByRole('button', { name: 'Create' }).click()
  await form.getByRole('alert').getByText('return to').waitFor()
  await form.getByLabel(/^Addresses/).fill('https://board.example.com/back')
  await form.getByRole('button', { name: 'Create' }).click()
  await form.getByRole('button', { name: 'Copy client id' }).waitFor()
  await form.getByRole('button', { name: 'Done' }).click()
  await page.getByText('→ https://board.example.com/back').waitFor()
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Revoke Flight board' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('There are no clients').waitFor()
  expect(faults()).toEqual([])
})

it('shows the state of the service, and follows the work in the background', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/' })
  await page.getByRole('link', { name: 'Admin', exact: true }).click()
  await page.getByText('Ready', { exact: true }).waitFor()
  await page.getByText('Nothing is running.').waitFor()
  await page.getByText(/\d % busy/).waitFor()
  const replacements = '/api/admin/v1/ontologies/shop/objects/item/replacements'
  const { replacement } = (await service.send(replacements, { method: 'POST' })).body
  await page.getByText('Replacing all objects of shop › item: 0 have arrived').waitFor()
  const report = '/api/admin/v1/ontologies/shop/transactions/slot.7/report'
  const json = {
    state: 'waiting',
    once: false,
    problem: 'the source is gone',
    tables: 3,
    stoppedTables: [{ table: 'public.prices', reason: 'amount has another type' }],
    lagBytes: 2_000_000,
    lagSeconds: 75,
  }
  await service.send(report, { method: 'PUT', json })
  const sync = page.getByRole('row', { name: /slot\.7/ })
  await sync.getByText('waiting: the source is gone').waitFor()
  await sync.getByText('1 min 15 s').waitFor()
  await sync.getByText('public.prices has stopped: amount has another type').waitFor()
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
  await service.send(`${replacements}/${replacement}`, { method: 'DELETE' })
  await page.getByText('will be removed').waitFor()
  await page.getByRole('row', { name: /item 75/ }).waitFor()
  await page.getByRole('link', { name: 'item' }).click()
  await page.waitForURL('**/o/shop/item')
  expect(faults()).toEqual([])
})

it('is hidden without the admin scope', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  const token = await service.createToken({ scopes: ['api:ontologies-read'] })
  await openExplorer(page, { url: service.url, token, path: '/admin/tokens' })
  await page.getByRole('heading', { name: /may administer/ }).waitFor()
  await page.getByText(/^test/).waitFor()
  await expect.poll(() => page.getByRole('link', { name: 'Admin', exact: true }).count()).toBe(0)
  await expect.poll(() => page.getByRole('table').count()).toBe(0)
})
