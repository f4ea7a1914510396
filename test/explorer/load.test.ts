/** How a person loads a file in the explorer, and creates a type. */
import { gzipSync } from 'node:zlib'
import type { Browser, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityFaults, openBrowser, openExplorer, openPage } from '../support/browser.ts'
import { startShop } from '../support/explorer-data.ts'
import { parquetFile } from '../support/parquet-file.ts'
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

const CSV = `Item id,Label,amount,lat,lon
1,Anvil,12,47.4,8.5
2,"Brass, polished",many,46.9,7.4
3,<b>Copper</b>,7,48.9,2.4
`

/** Lets a test drop a file: the policy of the page forbids to evaluate code in it later. */
async function prepareDrop(page: Page, name: string, content: string): Promise<void> {
  await page.addInitScript(`addEventListener('test:drop', () => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}))
    for (const type of ['dragenter', 'dragover', 'drop']) {
      document.body.dispatchEvent(
        new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
      )
    }
  })`)
}

const drop = (page: Page) => page.locator('body').dispatchEvent('test:drop', { bubbles: true })

async function choose(page: Page, name: string, content: string | Uint8Array): Promise<void> {
  await page.getByRole('button', { name: 'Load a file' }).click()
  const buffer = Buffer.from(content)
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
}

async function read(type: string): Promise<readonly Record<string, unknown>[]> {
  const { body } = await service.send(`/api/v1/ontologies/shop/objects/${type}`)
  return body?.data.map(({ properties }: { properties: Record<string, unknown> }) => properties)
}

it('can be left while it shows the file, without a keyboard', async () => {
  await using watched = await openPage(browser, { width: 390, isTouch: true })
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN })
  await choose(page, 'goods.csv', CSV)
  await page.getByRole('button', { name: 'Load 3 rows' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  expect(faults()).toEqual([])
})

it('says that the text of a file is not UTF-8', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN })
  await choose(page, 'cafes.csv', Buffer.from('id,name\n1,Caf\xe9\n', 'latin1'))
  await page.getByText('No row can be read: line 2 is not UTF-8. Save the file as UTF-8').waitFor()
})

it('loads a dropped file as a new type, whose types can be changed before', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await prepareDrop(page, 'My goods.csv', CSV)
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN })
  await page.getByRole('button', { name: 'Load a file' }).waitFor()
  await drop(page)
  await page.getByText('amount: a string because of "many" in line 3; otherwise integer.').waitFor()
  // On the list of ontologies, it belongs to none of them.
  await expect.poll(() => page.getByLabel('Name of the new ontology').inputValue()).toBe('myGoods')
  await page.getByLabel('Ontology', { exact: true }).selectOption('Shop')
  await expect.poll(() => page.getByLabel('Name of the type').inputValue()).toBe('myGoods')
  await expect.poll(() => page.getByLabel('Type of location').inputValue()).toBe('geopoint')
  await page.getByLabel('Type of amount').selectOption('integer')
  await page.getByText('Line 3: amount “many” is not an integer.').waitFor()
  await page.getByLabel('Title').selectOption('Label')
  await expect.poll(() => accessibilityFaults(page)).toEqual([])

  await page.getByRole('button', { name: 'Load 3 rows' }).click()
  await page.getByText('2 objects written to myGoods; 1 row could not be stored.').waitFor()
  await page.getByRole('row', { name: '3 amount many is not an integer' }).waitFor()
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Open the table' }).click()
  await page.waitForURL('**/o/shop/myGoods')
  await page.getByRole('gridcell', { name: '<b>Copper</b>' }).waitFor()
  await expect
    .poll(() => read('myGoods'))
    .toEqual([
      {
        itemId: 1,
        Label: 'Anvil',
        amount: 12,
        location: { type: 'Point', coordinates: [8.5, 47.4] },
      },
      {
        itemId: 3,
        Label: '<b>Copper</b>',
        amount: 7,
        location: { type: 'Point', coordinates: [2.4, 48.9] },
      },
    ])
  expect(faults()).toEqual([])
})

it('reads dates in the format that the user chooses, and missing texts as the user says', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/o/shop' })
  const file = 'id,opened,seen,city\na,03/04/2024,Jan 1 2000,NA\nb,05/06/2024,Dec 31 1999,Bern\n'
  await choose(page, 'visits.csv', file)
  await expect.poll(() => page.getByLabel('Type of seen').inputValue()).toBe('date')
  await page.getByLabel('Type of opened').selectOption('date')
  await page.getByText('Line 2: opened “03/04/2024” is not').waitFor()
  const format = page.getByLabel('Date format of opened')
  await format.fill('MM/DD')
  await page.getByText('“MM/DD” is no date format.').waitFor()
  await format.fill('MM/DD/YYYY')
  await expect.poll(() => page.getByText('would be rejected').count()).toBe(0)
  await page.getByLabel('“NA” is missing').uncheck()
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Load 2 rows' }).click()
  await page.getByText('2 objects written to visits.').waitFor()
  const first = { id: 'a', opened: '2024-03-04', seen: '2000-01-01', city: 'NA' }
  expect((await read('visits'))[0]).toEqual(first)
  await page.getByRole('button', { name: 'Close' }).click()

  // The same file has the same objects only if it is read in the same way.
  await choose(page, 'visits.csv', file)
  await page.getByLabel('Date format of opened').fill('MM/DD/YYYY')
  await page.getByText('One object would lose its present values.').waitFor()
  await page.getByLabel('“NA” is missing').uncheck()
  await page.getByText('stay the same').waitFor()
  await page.getByRole('button', { name: 'Load 2 rows' }).click()
  await page.getByText('2 objects written to visits.').waitFor()
  expect((await read('visits'))[0]).toEqual(first)
  expect(faults()).toEqual([])
})

it('reads numbers with the decimal sign that the user chooses', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/o/shop' })
  const file = 'id;price;share\na;1.299,00 €;1,234\nb;12,50 €;5,678\n'
  await choose(page, 'fees.csv', file)
  const price = page.getByLabel('How numbers of price are written')
  await expect.poll(() => price.inputValue()).toBe('decimal comma')
  await page.getByLabel('Type of share').selectOption('double')
  const share = page.getByLabel('How numbers of share are written')
  await expect.poll(() => share.inputValue()).toBe('decimal comma')
  await price.selectOption('plain')
  await page.getByText('Line 2: price “1.299,00 €” is not').waitFor()
  await price.selectOption('decimal comma')
  await expect.poll(() => page.getByText('would be rejected').count()).toBe(0)
  await page.getByRole('button', { name: 'Load 2 rows' }).click()
  await page.getByText('2 objects written to fees.').waitFor()
  expect(await read('fees')).toEqual([
    { id: 'a', price: 1299, share: 1.234 },
    { id: 'b', price: 12.5, share: 5.678 },
  ])
  await page.getByRole('button', { name: 'Close' }).click()

  await choose(page, 'fees.csv', 'id;price\na;1.299,00 $\n')
  await page.getByLabel('How numbers of price are written').selectOption('grouped')
  await page.getByText('Line 2: price “1.299,00 $” is not').waitFor()
  await page.getByLabel('How numbers of price are written').selectOption('decimal comma')
  await page.getByText('One object would lose').waitFor()
  expect(faults()).toEqual([])
})

it('loads the features of GeoJSON', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/o/shop' })
  const geometry = { type: 'Point', coordinates: [7.4, 46.9] }
  const feature = { type: 'Feature', id: 'bern', properties: { people: 134_794 }, geometry }
  const collection = { type: 'FeatureCollection', features: [feature] }
  await choose(page, 'spots.geojson', JSON.stringify(collection))
  await expect.poll(() => page.getByLabel('Type of geometry').inputValue()).toBe('geopoint')
  await page.getByRole('button', { name: 'Load 1 row' }).click()
  await page.getByText('1 object written to spots.').waitFor()
  expect(await read('spots')).toEqual([{ id: 'bern', people: 134_794, geometry }])
  expect(faults()).toEqual([])
})

it('loads into a type that exists, by columns that the user maps', async () => {
  await using watched = await openPage(browser, { width: 360, height: 740 })
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/o/shop/maker' })
  await page.getByRole('button', { name: 'More tools' }).click()
  const lines = '{"code":"m0","title":"Anvil & Daughters"}\n{"code":"m9","title":"Zinc"}\n'
  await choose(page, 'makers.ndjson.gz', gzipSync(lines))
  await page.getByLabel('Property for title').selectOption('name')
  await page.getByRole('button', { name: 'Load 2 rows' }).click()
  await page.getByText('2 objects written to maker.').waitFor()
  await expect
    .poll(() => read('maker'))
    .toMatchObject([
      { code: 'm0', name: 'Anvil & Daughters' },
      { code: 'm1' },
      { code: 'm2' },
      { code: 'm9', name: 'Zinc' },
    ])
  expect(faults()).toEqual([])
})

it('stores a batch once, even if its answer is lost', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  const sent: Request[] = []
  await page.context().route('**/objects/sizes', async (route) => {
    sent.push(route.request())
    const answer = await route.fetch()
    if (sent.length === 1) await route.abort('connectionreset')
    else await route.fulfill({ response: answer })
  })
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/o/shop' })
  const file = parquetFile([
    { name: 'id', type: 'INT32', values: [1, 2] },
    { name: 'width', type: 'DOUBLE', values: [0.5, null] },
  ])
  await choose(page, 'sizes.parquet', file)
  await page.getByRole('button', { name: 'Load 2 rows' }).click()
  await page.getByText('2 objects written to sizes.').waitFor()
  expect(sent).toHaveLength(2)
  const [first, second] = sent.map((request) => request.headers()['idempotency-key'])
  expect(first).toBe(second)
  await expect.poll(() => read('sizes')).toEqual([{ id: 1, width: 0.5 }, { id: 2 }])
  const { body } = await service.send('/api/admin/v1/ontologies/shop/counts')
  expect(body?.objectTypes.sizes).toEqual({ count: 2, version: 1 })
  expect(faults()).toEqual([])
})

it('stops on Escape, stays open, and does not claim that rows are stored', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  const pressed = Promise.withResolvers<void>()
  await page.context().route(/\/replacements\/.+\/publish/, async (route) => {
    await pressed.promise
    await route.abort('connectionreset')
  })
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/o/shop' })
  // More than one batch, so that the rows are published together.
  await choose(
    page,
    'lost.csv',
    `id\n${Array.from({ length: 10_001 }, (_, id) => id).join('\n')}\n`,
  )
  await page.getByRole('button', { name: /^Load .* rows$/ }).click()
  await page.getByText('All rows are sent').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Stopping…' }).waitFor()
  pressed.resolve()
  await page.getByText('Stopped. It is not known whether the rows sent until then').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(faults()).toEqual([])
})

it('creates no worker for a dialog that was closed', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  const asked = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  await page.route('**/api/admin/v1/ontologies/shop', async (route) => {
    if (route.request().method() === 'PUT') {
      asked.resolve()
      await closed.promise
    }
    await route.continue()
  })
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/o/shop' })
  await choose(page, 'left.csv', 'id\n1\n')
  await page.getByRole('button', { name: 'Load 1 row' }).click()
  await asked.promise
  await expect
    .poll(() => page.getByRole('button', { name: 'Choose another file' }).isDisabled())
    .toBe(true)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const refreshed = page.waitForResponse(
    (response) => response.request().method() === 'GET' && /ontologies\/shop$/.test(response.url()),
  )
  closed.resolve()
  await refreshed
  expect(page.workers()).toEqual([])
  expect(faults()).toEqual([])
})

it('creates a type without a file, from the palette', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/o/shop' })
  await page.getByRole('button', { name: 'New type' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Find/ }).fill('New object type')
  await page.keyboard.press('Enter')
  await page.getByLabel('Name of the type').fill('shelf')
  await page.getByRole('button', { name: 'Add a property' }).click()
  await page.getByLabel('Name of property 2').fill('height')
  await page.getByLabel('Type of property 2').selectOption('double')
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL('**/o/shop/shelf')
  const { body } = await service.send('/api/admin/v1/ontologies/shop')
  expect(body?.objectTypes.at(-1)).toMatchObject({
    apiName: 'shelf',
    primaryKey: 'id',
    properties: { id: { type: 'string' }, height: { type: 'double' } },
  })
  expect(faults()).toEqual([])
})

it('says why a file cannot be read', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN })
  await choose(page, 'a.csv.gz', 'plain text')
  await page.getByText('a.csv.gz: has a gzip file name, but is not gzip data.').waitFor()
})

it('shows none of it without the write scope', async () => {
  await using watched = await openPage(browser)
  const { page } = watched
  await prepareDrop(page, 'a.csv', CSV)
  const token = await service.createToken()
  await openExplorer(page, { url: service.url, token, path: '/o/shop/maker' })
  await page.getByText(/^test/).waitFor()
  await page.getByRole('gridcell', { name: 'Brass Works' }).waitFor()
  await drop(page)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Find/ }).fill('Load')
  await page.getByRole('option', { name: /./ }).first().or(page.getByText('Nothing has')).waitFor()
  await expect.poll(() => page.getByText(/Load a file|New type|New object type/).count()).toBe(0)
  await expect.poll(() => page.getByRole('dialog', { name: /Load/ }).count()).toBe(0)
})
