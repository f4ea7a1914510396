/** Saved views and dashboards, as people make and change them. */
import { expect, it } from 'vitest'
import { explorerSuite } from '../support/explorer-suite.ts'

const suite = explorerSuite()
const VIEWS = '/api/admin/v1/ontologies/shop/views'

it('shares, changes and deletes a view', async () => {
  const page = await suite.visit('/o/shop/item?w=makerCode:eq:m2')
  const openViews = () => page.getByRole('button', { name: 'Views' }).click()
  await openViews()
  await page.getByLabel('Save this view as').fill('Copper')
  await page.getByLabel('Description').fill('All of it')
  await page.getByLabel(/^Share it/).check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByLabel('Save this view as').waitFor({ state: 'detached' })
  const other = await suite.service.createToken({ name: 'other' })
  const seen = await suite.service.send(VIEWS, { token: other })
  expect(seen.body.data).toMatchObject([
    { name: 'Copper', description: 'All of it', address: '/item?w=makerCode:eq:m2' },
  ])

  await suite.visit('/o/shop/item', { token: other })
  await openViews()
  await page.getByText('shared by admin').waitFor()
  expect(await page.getByRole('button', { name: 'Change Copper' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Copper', exact: true }).click()
  await page.waitForURL('**/o/shop/item?w=makerCode:eq:m2')

  await suite.visit('/o/shop/item?w=makerCode:eq:m1')
  await openViews()
  await page.getByRole('button', { name: 'Change Copper' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Brass')
  await page.getByLabel('Replace it by the view on the screen').check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const saved = async () => (await suite.service.send(VIEWS)).body.data
  await expect.poll(saved).toMatchObject([{ name: 'Brass', address: '/item?w=makerCode:eq:m1' }])
  await openViews()
  await page.getByRole('button', { name: 'Change Brass' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect.poll(saved).toEqual([])
})

it('makes a dashboard of charts and tables, whose filters apply to all', async () => {
  const page = await suite.visit('/o/shop/item?w=price:gte:5&view=charts&p=makerCode')
  const add = async (dashboard?: string) => {
    await page.getByRole('button', { name: 'Views' }).click()
    const choice = page.getByLabel('Add what is on the screen to')
    if (dashboard !== undefined) await choice.selectOption({ label: dashboard })
    await page.getByRole('button', { name: 'Add to dashboard' }).click()
    await page.getByRole('heading', { name: 'Item dashboard' }).waitFor()
  }
  await add()
  await page.waitForURL('**/dashboards/shop/*?w=price:gte:5')
  const address = new URL(page.url()).pathname
  await page.goto(`${suite.service.url}/o/shop/item?o=price:desc&c=name,price`)
  await add('Item dashboard')
  await page.getByRole('columnheader', { name: 'Price' }).waitFor()
  const count = () => page.locator('header .data').last().textContent()
  await expect.poll(count).toMatch(/\d/)
  const before = await count()

  // A bar filters everything, and the address has the filter.
  await page.getByRole('button', { name: /m2/ }).first().click()
  await page.waitForURL('**/dashboards/shop/*makerCode:eq:m2*')
  await expect.poll(count).not.toBe(before)
  await page.getByRole('button', { name: /^Remove Maker/ }).click()
  await expect.poll(count).toBe(before)

  await page.getByRole('button', { name: 'Arrange' }).click()
  await page.getByRole('button', { name: 'Move after' }).first().focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Width').first().selectOption('full width')
  await page.getByLabel('Title').first().fill('All items')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Arrange' }).waitFor()
  await page.goto(suite.service.url + address)
  const headings = () => page.getByRole('heading', { level: 2 }).allTextContents()
  await expect.poll(headings).toEqual(['All items', 'Count by Maker code'])

  await page.getByRole('button', { name: 'Name and sharing' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.waitForURL('**/o/shop/item')
})

it('says that a dashboard is not there', async () => {
  const page = await suite.visit('/dashboards/shop/none')
  await page.getByRole('alert').getByText('There is no saved view').waitFor()
})

it('shows one view to somebody with a read-only link, until it is revoked', async () => {
  const page = await suite.visit('/o/shop/item?w=makerCode:eq:m2&c=name,price')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByLabel('Link for').fill('Copper')
  await page.getByRole('button', { name: 'Create the link' }).click()
  const link = await page.getByLabel('Link', { exact: true }).inputValue()
  expect(link).toMatch(/\/o\/shop\/item\?c=name%2Cprice#link=oqs_/)

  const { pathname, search, hash } = new URL(link)
  await suite.visit(pathname + search + hash, { token: null })
  await page.getByLabel('Pages', { exact: true }).getByText('of 20').waitFor()
  expect(new URL(page.url()).hash).toBe('')
  await page.getByText(/^Link by admin: Copper/).waitFor()
  const headers = await page.getByRole('columnheader').allTextContents()
  expect(headers.join()).toMatch(/Price/)
  expect(headers.join()).not.toMatch(/Stock/)
  for (const name of ['Views', 'New', 'Find Ctrl K']) {
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
  }
  await page.goto(`${suite.service.url}/o/shop/maker`)
  await page.getByText('There is no object type').waitFor()
  expect(await suite.service.revokeTokens('Link by admin: Copper')).toBe(1)
  await page.goto(`${suite.service.url}/o/shop/item`)
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
})
