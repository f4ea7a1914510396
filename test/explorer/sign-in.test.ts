/** How a person gets into the explorer, and out of it. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSessionCode } from '../../src/access/sessions.ts'
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

const storedToken = (page: Page) => page.evaluate("sessionStorage.getItem('oqs.token')")

it('takes a token once, keeps it for the tab, and forgets it on sign-out', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, path: '/o/shop/maker' })
  await page.getByLabel('Token').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await expect.poll(() => storedToken(page)).toBeNull()

  await page.getByLabel('Token').fill(ADMIN_TOKEN)
  await page.keyboard.press('Enter')
  await page.getByRole('gridcell', { name: 'Brass Works' }).waitFor()
  await page.reload()
  await page.getByRole('gridcell', { name: 'Brass Works' }).waitFor()
  expect(page.url()).not.toContain(ADMIN_TOKEN)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Token').waitFor()
  await expect.poll(() => storedToken(page)).toBeNull()
  await expect.poll(() => page.getByRole('gridcell').count()).toBe(0)
  expect(faults()).toEqual([])

  const adminOnly = await service.createToken({ scopes: ['api:admin'] })
  await page.getByLabel('Token').fill(adminOnly)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  await expect.poll(() => storedToken(page)).toBe(adminOnly)
})

it('takes a one-time link once, removes the code from the address, and revokes on sign-out', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  const session = { name: 'link', scopes: ['api:ontologies-read'], tokenMs: 3_600_000 } as const
  const code = await createSessionCode(service.store, session, service.clock.now)
  await openExplorer(page, { url: service.url, path: `/o/shop/maker#code=${code}` })
  await page.getByRole('gridcell', { name: 'Brass Works' }).waitFor()
  expect(page.url()).toBe(`${service.url}/o/shop/maker`)
  const token = String(await storedToken(page))
  const ended = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await ended
  expect((await service.send('/api/admin/v1/me', { token })).status).toBe(401)

  await page.goto(`${service.url}/?again#code=${code}`)
  await page.getByRole('alert').getByText('This link was used already').waitFor()
  expect(page.url()).not.toContain(code)
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
  expect(faults()).toEqual([])
})

it('signs in with OAuth, renews the token, and ends the grant on sign-out', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  const scopes = ['api:ontologies-read', 'api:admin'] as const
  const token = await service.createToken({ name: 'person', scopes })
  await openExplorer(page, { url: service.url, path: '/o/shop/maker?o=name:desc' })
  await page.getByRole('button', { name: 'Use the sign-in page' }).click()
  await page.getByLabel('Your API token').fill(token)
  // The style sheet passed the policy of the page, in both themes.
  const panel = () => page.evaluate(`getComputedStyle(document.querySelector('main')).borderRadius`)
  await expect.poll(panel).toBe('8px')
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('gridcell', { name: 'Brass Works' }).waitFor()
  expect(page.url()).toBe(`${service.url}/o/shop/maker?o=name:desc`)
  const first = String(await storedToken(page))
  expect(first).toMatch(/^oqs_access_/)
  await page.getByText('person', { exact: true }).waitFor()

  // As if the hour was nearly over.
  await page.evaluate(`{
    const kept = JSON.parse(sessionStorage.getItem('oqs.sign-in'))
    kept.renewal.expiresAtMs = Date.now()
    sessionStorage.setItem('oqs.sign-in', JSON.stringify(kept))
  }`)
  await page.reload()
  await page.getByRole('gridcell', { name: 'Brass Works' }).waitFor()
  const second = String(await storedToken(page))
  expect(second).toMatch(/^oqs_access_/)
  expect(second).not.toBe(first)
  await page.getByRole('link', { name: 'Admin', exact: true }).click()
  await page.getByRole('link', { name: 'API tokens' }).click()
  await page
    .getByRole('row', { name: /^person/ })
    .getByText('you are signed in with it')
    .waitFor()
  const ended = page.waitForResponse(/revoke_token/)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await ended
  for (const revoked of [first, second]) {
    expect((await service.send('/api/admin/v1/me', { token: revoked })).status).toBe(401)
  }
  expect((await service.send('/api/admin/v1/me', { token })).status).toBe(200)
  expect(faults()).toEqual([])
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

it('does not accept the answer of a sign-in that it did not start', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  await openExplorer(page, { url: service.url, path: '/?code=stolen&state=unknown' })
  await page.getByRole('alert').getByText('belongs to another sign-in').waitFor()
  expect(page.url()).toBe(`${service.url}/`)
  await expect.poll(() => storedToken(page)).toBeNull()
})
