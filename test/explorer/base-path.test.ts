/** The explorer and the API reference behind a proxy that serves them under a path. */
import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser, openPage } from '../support/browser.ts'
import { startShop } from '../support/explorer-data.ts'
import { startPathProxy } from '../support/path-proxy.ts'
import type { Service } from '../support/service.ts'

const PATH = '/data/objects'

let service: Service
let browser: Browser

beforeAll(async () => {
  ;[service, browser] = await Promise.all([
    startShop({ settings: { OQS_BASE_PATH: PATH } }),
    openBrowser(),
  ])
})
afterAll(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

it.each([
  ['keeps', false],
  ['removes', true],
])('works behind a proxy that %s the path', async (_, isStripped) => {
  const { origin } = new URL(service.url)
  await using proxy = await startPathProxy({ origin, path: PATH, isStripped })
  await using watched = await openPage(browser)
  const { page, faults } = watched
  const scopes = ['api:ontologies-read', 'api:ontologies-write', 'api:admin'] as const
  const token = await service.createToken({ name: `person ${isStripped}`, scopes })

  await page.goto(`${proxy.url}/o/shop/item?w=price:gte:10`)
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
  await page.getByRole('grid').waitFor()
  expect(page.url()).toBe(`${proxy.url}/o/shop/item?w=price:gte:10`)

  // A part that is loaded on use, and the request behind the view.
  await page.getByRole('button', { name: 'Charts', exact: true }).click()
  await page.getByRole('group', { name: 'Price' }).waitFor()
  await page.keyboard.press('r')
  await page.getByText(`'${proxy.url}/api/`).first().waitFor()
  await page.getByRole('button', { name: 'Table', exact: true }).click()

  // A link in a row, the way back, and a download.
  await page.getByRole('gridcell').getByRole('link', { name: 'Brass Works' }).first().click()
  await page.waitForURL(`${proxy.url}/o/shop/maker/m1**`)
  await page.reload()
  await page.getByRole('heading', { name: 'Brass Works' }).waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Export' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(await readFile(await download.path(), 'utf8')).toContain('Item 8')

  // A file is read and sent by a worker.
  await page.goto(`${proxy.url}/`)
  await page.getByRole('button', { name: 'Load a file' }).click()
  const name = `goods ${isStripped}.csv`
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from('id,label\n1,Anvil\n2,Bell\n') }
  await page.getByLabel('File', { exact: true }).setInputFiles(file)
  await page.getByRole('button', { name: 'Load 2 rows' }).click()
  await page.getByText('2 objects written to').waitFor()

  await page.goto(`${proxy.url}/admin/tokens`)
  await page.getByRole('cell', { name: `person ${isStripped}` }).waitFor()
  await page.goto(`${proxy.url}/docs`)
  await page.getByRole('heading', { name: 'Object Query Service' }).waitFor()
  expect(proxy.strays).toEqual([])
  expect(faults()).toEqual([])
})
