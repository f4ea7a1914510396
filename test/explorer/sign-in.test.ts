/** How a person gets into the explorer, and out of it. */
import type { Browser, Page } from 'playwright-core'
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

/** What scripts of the page can read. */
const readable = (page: Page) =>
  page.evaluate('JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])')

const anvil = (page: Page) => page.getByRole('gridcell', { name: 'Brass Works' }).waitFor()

it('takes a token once for all tabs, and forgets it in all of them on sign-out', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, path: '/o/shop/maker' })
  await page.getByLabel('Token').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()

  await page.getByLabel('Token').fill(ADMIN_TOKEN)
  await page.keyboard.press('Enter')
  await anvil(page)
  await page.reload()
  await anvil(page)
  expect(page.url()).not.toContain(ADMIN_TOKEN)
  expect(await readable(page)).not.toContain(ADMIN_TOKEN)

  // A new tab, a link opened beside it, and a shared address need no other sign-in.
  const other = await page.context().newPage()
  await other.goto(`${service.url}/o/shop/maker`)
  await anvil(other)

  const cookies = await page.context().cookies(`${service.url}/api/`)
  expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Token').waitFor()
  await other.getByLabel('Token').waitFor()
  for (const tab of [page, other]) {
    await expect.poll(() => tab.getByRole('gridcell').count()).toBe(0)
  }
  const [cookie] = cookies
  const headers = { cookie: `${cookie?.name}=${cookie?.value}`, 'oqs-session': 'explorer' }
  await expect
    .poll(async () => (await service.send('/api/admin/v1/me', { token: null, headers })).status)
    .toBe(401)

  // Signing in again in one tab is enough as well, with a token of any scope.
  const adminOnly = await service.createToken({ scopes: ['api:admin'] })
  await page.getByLabel('Token').fill(adminOnly)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  await other.getByRole('button', { name: 'Sign out' }).waitFor()
  expect(faults()).toEqual([])
})

it('takes a one-time link once, and removes the code from the address', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  const codes = await service.send('/api/admin/v1/sessions/codes', { method: 'POST' })
  const { code } = codes.body
  await openExplorer(page, { url: service.url, path: `/o/shop/maker#code=${code}` })
  await anvil(page)
  expect(page.url()).toBe(`${service.url}/o/shop/maker`)
  await page.getByRole('button', { name: 'Sign out' }).click()

  await page.goto(`${service.url}/?again#code=${code}`)
  await page.getByRole('alert').getByText('This link was used already').waitFor()
  expect(page.url()).not.toContain(code)
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
  expect(faults()).toEqual([])
})

it('asks again when the token of the session was revoked', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  const token = await service.createToken({ name: 'leaves', scopes: ['api:ontologies-read'] })
  await openExplorer(page, { url: service.url, token, path: '/o/shop/maker' })
  await anvil(page)
  await service.revokeTokens('leaves')
  await page.reload()
  await page.getByText('The service no longer accepts').waitFor()
  await page.getByLabel('Token').fill(ADMIN_TOKEN)
  await page.keyboard.press('Enter')
  await anvil(page)
})

it('lets browsers keep files that never change, and revalidate the page', async () => {
  const page = await service.send('/', { token: null })
  expect(page.headers.get('cache-control')).toBe('public, no-cache')
  const [script = ''] = /\/assets\/[^"]+\.js/.exec(page.text) ?? []
  const { status, headers } = await service.send(script, { token: null })
  expect([status, headers.get('cache-control')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
  ])
})
