/** How a person loads a file into a type that has objects, looks at what changes, and takes it back. */
import { gzipSync } from 'node:zlib'
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

const ROW = 'Row number, counted from 1, because no column identifies the objects.'

/** Adds a type to an ontology of its own, and fills it. */
async function addType(name: string, type: object, objects: readonly object[]): Promise<void> {
  await service.apply({ apiName: name, objectTypes: [{ apiName: name, ...type }] } as never)
  await service.put(name, name, objects as never)
}

const makers = (name: string) =>
  addType(
    name,
    { primaryKey: 'code', properties: { code: { type: 'string' }, name: { type: 'string' } } },
    [
      { code: 'm0', name: 'Anvil & Sons' },
      { code: 'm1', name: 'Brass Works' },
      { code: 'm2', name: 'Copper Mill' },
    ],
  )

async function read(type: string): Promise<readonly Record<string, unknown>[]> {
  const { body } = await service.send(`/api/v1/ontologies/${type}/objects/${type}`)
  return body?.data.map(({ properties }: { properties: Record<string, unknown> }) => properties)
}

async function open(page: Page, type: string): Promise<void> {
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: `/o/${type}/${type}` })
}

async function choose(page: Page, name: string, content: string | Uint8Array): Promise<void> {
  await page.getByRole('button', { name: 'Load a file' }).click()
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })
}

/** Returns what the dialog says about the load before it. */
async function figures(page: Page): Promise<readonly string[]> {
  const summary = page.getByRole('region', { name: 'What the load changes' })
  await summary.getByText(/rows? (?:is|are) rejected/).waitFor()
  return (await summary.locator('dl > div').allInnerTexts()).map((text) =>
    text.split('\n').toReversed().join(' '),
  )
}

it('adds rows without a key after the last object instead of overwriting the first ones', async () => {
  await addType(
    'notes',
    {
      primaryKey: 'row',
      properties: {
        row: { type: 'integer', description: ROW },
        text: { type: 'string' },
      },
    },
    [
      { row: 1, text: 'a' },
      { row: 2, text: 'b' },
    ],
  )
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await open(page, 'notes')
  await choose(page, 'more.csv', 'text\nc\nc\n')
  await page.getByText('rows are added with the numbers after the last object').waitFor()
  expect(await figures(page)).toEqual([
    '2 objects are new',
    '0 exist and stay as they are',
    '0 rows are rejected',
  ])
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Load 2 rows' }).click()
  await page.getByText('2 objects written to notes.').waitFor()
  const before = [
    { row: 1, text: 'a' },
    { row: 2, text: 'b' },
  ]
  await expect
    .poll(() => read('notes'))
    .toEqual([...before, { row: 3, text: 'c' }, { row: 4, text: 'c' }])
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await dialog.getByText('Undone: 2 objects removed.').waitFor()
  await expect.poll(() => read('notes')).toEqual(before)
  expect(faults()).toEqual([])
})

it('refuses a file without the key of the type', async () => {
  await makers('keyless')
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await open(page, 'keyless')
  await choose(page, 'names.csv', 'name\nDrill\n')
  await page.getByText('No column goes into “code”, which identifies the objects.').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Load 1 row' }).isDisabled()).toBe(true)
  expect(faults()).toEqual([])
})

it('says what is new, changed and the same before it writes, and takes it back afterwards', async () => {
  await makers('makers')
  const before = await read('makers')
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await open(page, 'makers')
  const file = 'code,name\nm0,Anvil & Daughters\nm1,Brass Works\nm8,Yttrium\nm9,Zinc\n'
  await choose(page, 'makers.csv', file)
  expect(await figures(page)).toEqual([
    '2 objects are new',
    '1 is replaced',
    '1 stays the same',
    '0 rows are rejected',
  ])
  expect(await read('makers')).toEqual(before)
  await page.getByRole('button', { name: 'Load 4 rows' }).click()
  await page.getByText('4 objects written to makers.').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByText('Loaded makers.csv into makers.').waitFor()
  await service.put('makers', 'makers', [{ code: 'm9', name: 'Zinc & Co.' }])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page
    .getByText(
      'Undone: 1 object removed, 1 object restored. 1 object was changed since the load and stays as it is.',
    )
    .waitFor()
  await expect.poll(() => read('makers')).toEqual([...before, { code: 'm9', name: 'Zinc & Co.' }])
  expect(faults()).toEqual([])
})

it('changes only the columns of the file if the user chooses so, and takes that back', async () => {
  const properties = {
    id: { type: 'string' },
    name: { type: 'string' },
    credit: { type: 'integer' },
  }
  await addType('clients', { primaryKey: 'id', properties }, [
    { id: 'a', name: 'Ada', credit: 5 },
    { id: 'b', name: 'Bob', credit: 7 },
  ])
  const before = await read('clients')
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await open(page, 'clients')
  await choose(page, 'clients.csv', 'id,credit\na,6\nb,\nc,9\n')
  await page.getByText('2 objects would lose their present values.').waitFor()
  await page.getByRole('button', { name: 'Change only the columns of the file' }).click()
  await page.getByText('Unchanged in objects that exist: name.').waitFor()
  expect(await figures(page)).toEqual([
    '1 object is new',
    '2 are changed',
    '0 stay the same',
    '0 rows are rejected',
  ])
  await page.getByRole('button', { name: 'Load 3 rows' }).click()
  await page.getByText('3 objects written to clients.').waitFor()
  expect(await read('clients')).toEqual([
    { id: 'a', name: 'Ada', credit: 6 },
    { id: 'b', name: 'Bob' },
    { id: 'c', credit: 9 },
  ])
  const dialog = page.getByRole('dialog', { name: 'Load clients.csv' })
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => read('clients')).toEqual(before)
  expect(faults()).toEqual([])
})

it('keeps the objects that exist if the user chooses so, and counts rejected rows', async () => {
  await addType(
    'sizes',
    { primaryKey: 'id', properties: { id: { type: 'long' }, width: { type: 'integer' } } },
    [{ id: '1', width: 10 }],
  )
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await open(page, 'sizes')
  await choose(page, 'sizes.csv', 'id,width\n1,11\n2,20\n3,wide\n')
  expect(await figures(page)).toContain('1 is replaced')
  await page.getByRole('button', { name: 'Keep it, add only new objects' }).click()
  await page.getByText('exists and stays as it is').waitFor()
  expect(await figures(page)).toEqual([
    '1 object is new',
    '1 exists and stays as it is',
    '1 row is rejected',
  ])
  await page.getByRole('button', { name: 'Load 3 rows' }).click()
  await page.getByText('1 object written to sizes; 1 object kept; 1 row could not').waitFor()
  expect(await read('sizes')).toEqual([
    { id: '1', width: 10 },
    { id: '2', width: 20 },
  ])
  expect(faults()).toEqual([])
})

it('says when a load is too large to be undone', async () => {
  await makers('large')
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await open(page, 'large')
  const name = 'x'.repeat(3_000_000)
  const rows = Array.from({ length: 12 }, (_, index) => `k${index},${name}\n`)
  await choose(page, 'large.csv.gz', gzipSync(`code,name\n${rows.join('')}`))
  await page.getByText('The load cannot be undone here').waitFor()
  expect(await figures(page)).toContain('12 objects are new')
  expect(faults()).toEqual([])
})

it('leaves no empty type behind if every row was rejected', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/o/shop' })
  await choose(page, 'wrong.csv', 'id,size\na,wide\nb,narrow\n')
  await page.getByLabel('Type of size').selectOption('integer')
  await page.getByRole('button', { name: 'Load 2 rows' }).click()
  await page.getByText('None of the rows could be stored, so wrong was not created.').waitFor()
  const { body } = await service.send('/api/admin/v1/ontologies/shop')
  expect(body?.objectTypes.map(({ apiName }: { apiName: string }) => apiName)).toEqual([
    'item',
    'maker',
  ])
  expect(faults()).toEqual([])
})

it('takes a new type back, with its objects', async () => {
  await using watched = await openPage(browser)
  const { page, faults } = watched
  await openExplorer(page, { url: service.url, token: ADMIN_TOKEN, path: '/o/shop' })
  await choose(page, 'brief.csv', 'id\na\nb\n')
  await page.getByRole('button', { name: 'Load 2 rows' }).click()
  await page.getByRole('link', { name: 'Open the table' }).click()
  await page.waitForURL('**/o/shop/brief')
  await page.getByText('Created brief with 2 objects.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone: brief removed.').waitFor()
  await page.waitForURL(`${service.url}/`)
  expect((await service.send('/api/v1/ontologies/shop/objects/brief')).status).toBe(404)
  expect(faults()).toEqual([])
})
