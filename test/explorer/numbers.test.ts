/** Numbers as they are stored, on every screen; years and codes without separators. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { startShop } from '../support/explorer-data.ts'
import { explorerSuite } from '../support/explorer-suite.ts'

const RATIOS = [0.00000012, -1e-308, Math.PI, 0.1 + 0.2, 1_234_567.5, 1e21]
const COUNT = 200

/** Starts the shop with a type whose numbers are years, codes, amounts and measurements. */
async function startNumbers() {
  const service = await startShop()
  const integer = { type: 'integer' } as const
  await service.apply({
    apiName: 'numbers',
    objectTypes: [
      {
        apiName: 'town',
        primaryKey: 'id',
        properties: {
          id: integer,
          founded: integer,
          region: integer,
          postCode: integer,
          people: integer,
          depth: integer,
          ratio: { type: 'double' },
          price: { type: 'double' },
          site: { type: 'string' },
        },
      },
    ],
  })
  const towns = Array.from({ length: COUNT }, (_, index) => ({
    id: 1000 + index,
    founded: 1700 + index,
    region: 10_000 + 449 * index,
    postCode: 501 + 499 * index,
    // From 1 to 22 million, half of them below 5,000.
    people: Math.round(22_000_000 ** (index / (COUNT - 1))),
    // Few meters, but for one.
    depth: index === 7 ? 9_000_000 : index % 50,
    ratio: RATIOS[index] ?? index / 8,
    price: 1999.5 + 100.5 * index,
    site: 'see https://example.org/a-b?c=d, or javascript:alert(1)',
  }))
  await service.put('numbers', 'town', towns)
  return service
}

const suite = explorerSuite(startNumbers)

const texts = (page: Page, column: number, rows: number) =>
  page
    .locator(`[role="gridcell"][aria-colindex="${column}"]`)
    .allTextContents()
    .then((all) => all.slice(0, rows))

it('shows every digit in the table and on the page of an object', async () => {
  const page = await suite.visit('/o/numbers/town')
  const shown = [
    '0.00000012',
    '-1e-308',
    '3.141592653589793',
    '0.30000000000000004',
    '1,234,567.5',
    '1e+21',
  ]
  await expect.poll(() => texts(page, 7, 6)).toEqual(shown)
  for (const [index, text] of shown.entries()) {
    await page.goto(`${suite.service.url}/o/numbers/town/${1000 + index}`)
    await page.getByRole('definition').filter({ hasText: text }).first().waitFor()
  }
})

it('writes years, codes and keys without separators, and amounts with them', async () => {
  const page = await suite.visit('/o/numbers/town?o=id:desc&c=founded,region,postCode,people')
  const last = ['1199', '1899', '99351', '99802', '22,000,000']
  const first = () => page.locator('[aria-rowindex="2"] [role="gridcell"]').allTextContents()
  await expect.poll(first).toEqual(last)
  // The page of an object knows what the table has read.
  await page.getByRole('link', { name: '1199' }).click()
  await page.getByRole('heading', { name: '1199' }).waitFor()
  const values = () => page.getByRole('definition').allTextContents()
  for (const text of last) await expect.poll(values).toContain(text)
})

it('writes all measurements of a property alike', async () => {
  const page = await suite.visit('/o/numbers/town?c=price')
  await expect.poll(() => texts(page, 2, 3)).toEqual(['1,999.5', '2,100', '2,200.5'])
})

it('labels axes with years and codes, and says when a scale is logarithmic', async () => {
  const page = await suite.visit('/o/numbers/town?view=charts')
  const picture = (name: string) => page.getByRole('region', { name, exact: true })
  const axis = (name: string) => picture(name).locator('svg > g > text').allTextContents()
  await expect.poll(() => axis('Founded')).toEqual(['1700', '1750', '1800', '1850', '1900'])
  await expect.poll(() => axis('Region')).toContain('10000')
  await picture('People').getByText('Logarithmic scale').waitFor()
  await expect.poll(() => picture('Founded').getByText('scale').count()).toBe(0)
  // One outlier decides nothing.
  await picture('Depth').getByText('The last bar holds all values from 90 to 9,000,000').waitFor()
  await picture('Depth').getByRole('button', { name: '≥ 90: 1' }).waitFor()
})

it('links web addresses, and nothing else', async () => {
  const page = await suite.visit('/o/numbers/town/1007')
  const link = page.getByRole('definition').getByRole('link')
  await link.waitFor()
  expect(await link.getAttribute('href')).toBe('https://example.org/a-b?c=d')
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
  await page.goto(`${suite.service.url}/o/numbers/town?c=site`)
  const cell = page.locator('[aria-rowindex="2"] [aria-colindex="2"]')
  await expect
    .poll(() => cell.getByRole('link').getAttribute('href'))
    .toBe('https://example.org/a-b?c=d')
  await expect
    .poll(() => cell.textContent())
    .toBe('see https://example.org/a-b?c=d, or javascript:alert(1)')
  const opened = page.context().waitForEvent('page')
  await page
    .context()
    .route('https://example.org/**', (route) => route.fulfill({ body: 'elsewhere' }))
  await cell.getByRole('link').click()
  const other = await opened
  await other.waitForURL('https://example.org/**')
  expect(await other.evaluate('window.opener')).toBe(null)
  await other.close()
  expect(new URL(page.url()).pathname).toBe('/o/numbers/town')
})
