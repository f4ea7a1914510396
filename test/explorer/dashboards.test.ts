/** Dashboards: how people find, start and extend them, and what they read when they save. */
import { expect, it } from 'vitest'
import { explorerSuite } from '../support/explorer-suite.ts'

const suite = explorerSuite()

it('starts a dashboard on the home screen, adds tiles, and lists it there', async () => {
  const page = await suite.visit('/')
  await page.getByRole('button', { name: 'New dashboard' }).click()
  await page.getByLabel('Name').fill('Stock')
  await page.getByLabel('Objects').selectOption('Item')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL('**/dashboards/shop/*')
  await page.getByRole('columnheader', { name: 'Price' }).waitFor()

  await page.getByRole('button', { name: 'Tile', exact: true }).click()
  const form = page.getByRole('dialog', { name: 'New tile' })
  await form.getByLabel('By', { exact: true }).selectOption('Maker code')
  await form.getByRole('button', { name: 'Add the tile' }).click()
  await page.getByRole('heading', { name: 'Count by Maker code' }).waitFor()
  await page.getByRole('button', { name: 'Tile', exact: true }).click()
  await form.getByText('Map').click()
  await form.getByRole('button', { name: 'Add the tile' }).click()
  await page.getByRole('application').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('status').getByText('Saved “Stock”.').waitFor()

  await page.goto(suite.service.url)
  const list = page.getByRole('list', { name: 'Dashboards and views of Shop' })
  await list.getByRole('link', { name: 'Stock' }).click()
  await page.getByRole('application').waitFor()
  expect(await page.getByRole('heading', { level: 2 }).count()).toBe(3)
})

it('says that a view was saved, and lists it', async () => {
  const page = await suite.visit('/o/shop/item?w=makerCode:eq:m2')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByLabel('Save this view as').fill('Copper')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('status').getByText('Saved “Copper”.').waitFor()
  await page.goto(suite.service.url)
  await page.getByRole('link', { name: 'Copper' }).click()
  await page.waitForURL('**/o/shop/item?w=makerCode:eq:m2')
})

it('shows the labels of bars from their beginning, whatever their letters', async () => {
  await suite.service.apply({
    apiName: 'wide',
    objectTypes: [
      {
        apiName: 'word',
        primaryKey: 'id',
        properties: { id: { type: 'integer' }, text: { type: 'string' }, at: { type: 'date' } },
      },
    ],
  })
  const texts = ['W'.repeat(60), 'W'.repeat(9), '漢字'.repeat(30), 'illi'.repeat(20), 'WWW']
  const objects = texts.map((text, id) => ({ id, text, at: `2026-0${id + 1}-01` }))
  await suite.service.put('wide', 'word', objects)
  for (const width of [1280, 1000, 390]) {
    const page = await suite.visit('/o/wide/word?view=charts&p=text', { width })
    const labels = page.locator('figure svg g > text:first-of-type')
    await labels.nth(4).waitFor()
    const starts = await labels.evaluateAll((all) =>
      all.map((label) => (label as unknown as { getBBox(): { x: number } }).getBBox().x),
    )
    expect(starts.filter((x) => x < 0)).toEqual([])
    expect(await labels.allTextContents()).toContain('WWW')
  }
})

it('names the step of time that the values have decided', async () => {
  const page = await suite.visit('/o/shop/item?view=charts&p=soldAt')
  const steps = page.getByLabel('By: steps')
  await expect.poll(() => steps.locator('option:checked').textContent()).toBe('over time, by day')
  await page
    .locator('figure figcaption', { hasText: /^By day$/ })
    .first()
    .waitFor()
})

it('proposes to sum an amount, and no key', async () => {
  await suite.service.apply({
    apiName: 'sums',
    objectTypes: [
      {
        apiName: 'order',
        primaryKey: 'id',
        properties: {
          id: { type: 'integer' },
          customerId: { type: 'integer' },
          clerk: { type: 'integer' },
          total: { type: 'integer' },
        },
      },
      { apiName: 'clerk', primaryKey: 'nr', properties: { nr: { type: 'integer' } } },
    ],
    linkTypes: [{ apiName: 'by', from: 'order', to: 'clerk', foreignKey: 'clerk' }],
  })
  const page = await suite.visit('/o/sums/order?view=charts')
  await page.getByLabel('Measure', { exact: true }).selectOption('Sum')
  await page.waitForURL('**/*p=*sum:total*')
})
