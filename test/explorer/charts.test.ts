/** Charts: a measure by one or two dimensions, asked for by a sentence. */
import { readFile } from 'node:fs/promises'
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

it('draws two numbers as points, and filters for the object of one', async () => {
  const page = await suite.visit('/o/shop/item?view=charts&p=price,size/width')
  const points = bars(page, 'Count by Price and Size › Width: 60 objects as points')
  await expect.poll(() => points.count()).toBe(60)
  expect(await points.nth(1).getAttribute('aria-label')).toBe('Item 1: Price 1.25, Size › Width 1')
  await points.first().focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.waitForURL(/w=id:eq:i001/)

  await suite.visit('/o/shop/item?view=charts&p=makerCode,tags')
  const cells = bars(page, 'Count by Maker code and Tags')
  const cell = cells.and(page.getByLabel('m1 Brass Works, even: 10'))
  await cell.click()
  await page.waitForURL(/w=makerCode:eq:m1&w=tags:contains:even/)
})

it('saves a chart as CSV, SVG and PNG, and shows its request', async () => {
  const page = await suite.visit('/o/shop/item?view=charts&p=makerCode,isNew~top:2')
  await bars(page, 'Count by Maker code and Is new').first().waitFor()
  const save = async (format: string) => {
    await page.getByRole('button', { name: 'Save the chart' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: format, exact: true }).click()
    const file = await download
    return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) }
  }
  const csv = await save('CSV')
  expect(csv.name).toBe('count-by-maker-code-and-is-new.csv')
  expect(csv.bytes.toString()).toBe(
    'Maker code,false,true,(missing)\nm0 Anvil & Sons,10,10,0\nm1 Brass Works,10,10,0\nothers,10,10,0\n(missing),0,0,15\n',
  )
  const svg = (await save('SVG')).bytes.toString()
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/)
  expect(svg).toContain('>Count by Maker code and Is new</text>')
  expect(svg).toContain('m0 Anvil &amp; Sons</text>')
  expect(svg).not.toContain('class=')
  const png = (await save('PNG')).bytes
  expect(png.subarray(1, 4).toString()).toBe('PNG')
  expect(png.readUInt32BE(16)).toBeGreaterThan(1000)

  await page.getByRole('button', { name: 'Request' }).click()
  const panel = page.getByRole('complementary', { name: 'The request behind this view' })
  await panel.getByText('/objects/item/aggregateBatch').waitFor()
  await panel.getByLabel('Ask for').selectOption('the objects')
  await panel.getByText('/objects/item/search').waitFor()
})

it('tells what a column is like, in the menu of its header', async () => {
  const page = await suite.visit('/o/shop/item?w=makerCode:eq:m1')
  const open = async (name: string) => {
    await page.getByRole('button', { name: `Column ${name}`, exact: true }).click()
    return page.getByRole('region', { name: `About ${name}` })
  }
  const expectAbout = async (name: string, text: RegExp) => {
    const about = await open(name)
    await expect.poll(() => about.innerText()).toMatch(text)
  }
  await suite.visit('/o/shop/item')
  // Of all objects, also where some have no value.
  await expectAbout(
    'makerCode',
    /of all 75 objects\.\s+Missing\s+15 · 20 %[\s\S]+Most frequent\s+m0\s+20\s+27 %/,
  )
  await suite.visit('/o/shop/item?w=makerCode:eq:m1')
  await expectAbout('price', /Missing\s+0 · 0 %\s+Distinct\s+all values differ/)
  await page.keyboard.press('Escape')
  await expectAbout('tags', /Most frequent\s+all\s+20\s+100 %/)
  await page.keyboard.press('Escape')
  await expectAbout('size', /Minimum\s+1\s/)
  await page.getByRole('combobox', { name: 'Field' }).selectOption('Size › Unit')
  await page.getByText('2 characters').waitFor()
  await page.keyboard.press('Escape')
  await open('tags')
  await page.getByRole('button', { name: 'Chart by this column' }).click()
  await page.waitForURL(/view=charts&p=tags/)
})

it('measures by place on a map, and filters for a cell', async () => {
  const page = await suite.visit('/o/shop/item?view=charts')
  await pick(page, 'By').selectOption('Place')
  const cells = bars(page, 'Count by Place')
  await cells.first().waitFor()
  // What is shown as a map is also in the table, with the objects that have no place.
  await page.getByText('The numbers').click()
  const table = page.getByRole('table', { name: 'Count by Place' })
  await expect.poll(() => table.getByRole('row').last().innerText()).toMatch(/Total\s+75/)
  await expect.poll(() => table.innerText()).toMatch(/\(missing\)\s+15/)
  await cells.first().focus()
  await page.keyboard.press('ArrowRight')
  const name = await cells.nth(1).getAttribute('aria-label')
  expect(name).toMatch(/°.*: \d+$/)
  await page.keyboard.press('Enter')
  await page.waitForURL(/in=/)
  const count = page.locator('h1 + span')
  await expect.poll(() => count.innerText()).toBe(name?.split(': ').at(-1))
})
