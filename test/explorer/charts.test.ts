/** Charts: a measure by one or two dimensions, asked for by a sentence. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { explorerSuite } from '../support/explorer-suite.ts'

const suite = explorerSuite()

const chartOf = (page: Page) => new URL(page.url()).searchParams.get('p')
const pick = (page: Page, label: string) => page.getByRole('combobox', { name: label, exact: true })
const bars = (page: Page, name: string) =>
  page.getByRole('group', { name, exact: true }).getByRole('button')

it('answers a question that is put together from menus', async () => {
  const page = await suite.visit('/o/shop/item')
  await page.getByRole('button', { name: 'Charts' }).click()
  await pick(page, 'Measure').selectOption('Average')
  await pick(page, 'By').selectOption('Maker code')
  const rows = bars(page, 'Average of Price by Maker code')
  await expect.poll(() => rows.first().getAttribute('aria-label')).toBe('m2 Copper Mill: 38.13')
  expect(await rows.count()).toBe(4)
  expect(chartOf(page)).toBe('makerCode~avg:price')

  await pick(page, 'Order').selectOption('lowest first')
  await expect.poll(() => rows.first().getAttribute('aria-label')).toMatch(/^m0 .*: 35.63$/)
  // What is missing is shown as such, and filters like a value.
  await rows.last().click()
  await page.waitForURL(/w=makerCode:empty/)
})

it('shows two dimensions as bars, as lines and as a table with totals', async () => {
  const page = await suite.visit('/o/shop/item?view=charts&p=makerCode,isNew~top:2~as:pivot')
  const table = page.getByRole('table', { name: 'Count by Maker code and Is new' })
  await table.waitFor()
  const textOf = async () => (await table.getByRole('row').allInnerTexts()).map((row) => row.trim())
  await expect
    .poll(textOf)
    .toEqual([
      'Maker code \\ Is new\tfalse\ttrue\t(missing)\tTotal',
      'm0 Anvil & Sons\t10\t10\t0\t20',
      'm1 Brass Works\t10\t10\t0\t20',
      'others\t10\t10\t0\t20',
      '(missing)\t0\t0\t15\t15',
      'Total\t30\t30\t15\t75',
    ])
  await table.getByRole('button', { name: '10' }).first().click()
  await page.waitForURL(/w=makerCode:eq:m0&w=isNew:eq:false/)

  await suite.visit('/o/shop/item?view=charts&p=soldAt:month,isNew')
  const months = bars(page, 'Count by Sold at (month) and Is new')
  await expect
    .poll(() => months.first().getAttribute('aria-label'))
    .toBe('Jan 2026: false 15, true 16, (missing) 0')
})

it('compares a period with the one before', async () => {
  const period = 'w=soldAt:gte:2026-02-01T00:00:00.000Z&w=soldAt:lt:2026-03-01T00:00:00.000Z'
  const page = await suite.visit(`/o/shop/item?view=charts&p=makerCode~sum:price&${period}`)
  await pick(page, 'Compared with').selectOption('the period before')
  const rows = bars(page, 'Sum of Price by Maker code')
  await expect
    .poll(() => rows.first().getAttribute('aria-label'))
    .toBe('m1 Brass Works: this view 556.25, the period before 181.25')
})

it('says when there are too many groups, and draws one number without a dimension', async () => {
  const page = await suite.visit('/o/shop/item?view=charts&p=soldAt:minute')
  await page.getByText('84,960 steps are more than the 1,000 that a chart shows.').waitFor()
  await suite.visit('/o/shop/item?view=charts&p=~max:price')
  await page.getByText('73.75', { exact: true }).waitFor()
})
