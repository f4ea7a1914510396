/** Pictures and the map: what is brushed, pressed or drawn becomes a filter. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  accessibilityFaults,
  openBrowser,
  openExplorer,
  openPage,
  type WatchedPage,
} from '../support/browser.ts'
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

async function visit(path: string, options = {}): Promise<WatchedPage> {
  const watched = await openPage(browser, options)
  await openExplorer(watched.page, { url: service.url, token: ADMIN_TOKEN, path })
  return watched
}

const filtersOf = (url: string) => new URL(url).searchParams.getAll('w')

it('brushes a histogram and a time line with the pointer and with keys', async () => {
  await using watched = await visit('/o/shop/item?view=pictures&p=price')
  const { page, faults } = watched
  const bars = page.getByRole('group', { name: 'Price' }).getByRole('button')
  await bars.first().waitFor()
  const [from, to] = await Promise.all([bars.nth(2).boundingBox(), bars.nth(5).boundingBox()])
  await page.mouse.move((from?.x ?? 0) + 4, (from?.y ?? 0) + 40)
  await page.mouse.down()
  await page.mouse.move((to?.x ?? 0) + 4, (to?.y ?? 0) + 40)
  await page.mouse.up()
  await page.waitForURL(/w=price:gte/)
  expect(filtersOf(page.url())).toEqual(['price:gte:10', 'price:lt:30'])

  const days = page.getByRole('group', { name: 'Sold at' }).getByRole('button')
  await days.first().focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Enter')
  await page.waitForURL(/w=soldAt/)
  expect(filtersOf(page.url()).map((each) => each.split(':').slice(0, 2).join(':'))).toEqual([
    'price:gte',
    'price:lt',
    'soldAt:gte',
    'soldAt:lt',
  ])
  expect(faults()).toEqual([])
})

it('presses a bar, counts what is missing, and draws no bars of different values', async () => {
  await using watched = await visit('/o/shop/item?view=pictures')
  const { page, faults } = watched
  const maker = page.getByRole('region', { name: 'Maker code' })
  await maker.getByRole('button', { name: /^m1/ }).waitFor()
  expect(await maker.getByRole('button', { name: '15 without a value' }).count()).toBe(1)
  expect(await accessibilityFaults(page)).toEqual([])
  await maker.getByRole('button', { name: /^m1/ }).click()
  await page.waitForURL(/w=makerCode:eq:m1/)

  await page.goto(`${service.url}/o/shop/item?view=pictures&p=name`)
  const name = page.getByRole('region', { name: 'Name', exact: true })
  await name.getByText('values are different').waitFor()
  expect(faults()).toEqual([])
})

it('draws a box on the map, zooms by keys, and peeks at single objects', async () => {
  await using watched = await visit('/o/shop/item?view=map')
  const { page, faults } = watched
  await page.getByText('60 objects on this part of the map').waitFor()
  const map = page.getByRole('application', { name: /^Map/ })
  const area = await map.boundingBox()
  const at = (x: number, y: number) =>
    page.mouse.move(
      (area?.x ?? 0) + (area?.width ?? 0) * x,
      (area?.y ?? 0) + (area?.height ?? 0) * y,
    )
  await at(0.5, 0.3)
  await page.mouse.down()
  await at(0.6, 0.5)
  await page.mouse.up()
  await page.waitForURL(/in=/)
  const box = new URL(page.url()).searchParams.get('in')?.split(',').map(Number) ?? []
  expect([box[0], box[1], box[2]].map((edge) => Math.abs(Math.round(edge ?? 99)))).toEqual([
    0, 0, 36,
  ])

  await map.focus()
  await page.keyboard.press('+')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('0')
  await page.getByText('List them').click()
  await page.getByRole('button', { name: 'Item 0', exact: true }).click()
  await page.waitForURL(/peek=i000/)
  await page.getByRole('complementary', { name: 'Object i000' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  expect(faults()).toEqual([])
})

it('fits a phone', async () => {
  await using watched = await visit('/o/shop/item/i004', { width: 360, height: 740 })
  const { page } = watched
  await page.getByRole('heading', { name: 'Item 4' }).waitFor()
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  expect(overflow).toBeLessThanOrEqual(0)
})
