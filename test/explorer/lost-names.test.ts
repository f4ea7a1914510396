/** Addresses, views and dashboards that name what was renamed or removed since. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { builtExplorer } from '../support/explorer-data.ts'
import { explorerSuite } from '../support/explorer-suite.ts'
import { startService } from '../support/service.ts'
import { counted } from '../support/walked-rows.ts'

const suite = explorerSuite(async () => {
  const service = await startService({ explorer: builtExplorer })
  await service.apply(bank({ creditLimit: { type: 'integer' } }))
  await service.put(
    'bank',
    'client',
    Array.from({ length: 30 }, (_, id) => ({ id, branch: `b${id % 3}`, creditLimit: 10 * id })),
  )
  await service.apply(bank({ creditLine: { type: 'integer', renamedFrom: 'creditLimit' } }))
  return service
})

const bank = (properties: Readonly<Record<string, object>>) => {
  const all = { id: { type: 'integer' }, branch: { type: 'string' }, ...properties } as never
  const client = { apiName: 'client', primaryKey: 'id', properties: all }
  return { apiName: 'bank', objectTypes: [client, { ...client, apiName: 'lead' }] }
}

const VIEWS = '/api/admin/v1/ontologies/bank/views'
const view = (page: Page) => decodeURIComponent(new URL(page.url()).search)
const repair = (page: Page) => page.getByRole('button', { name: 'Use Credit line' })

it('shows no objects for a filter that the type does not have, and offers the new name', async () => {
  const page = await suite.visit('/')
  const note = page.getByRole('region', { name: 'No objects' })
  for (const layout of ['', '&view=charts&p=branch', '&view=map']) {
    await page.goto(`${suite.service.url}/o/bank/client?w=gone:eq:7&w=branch:eq:b0${layout}`)
    await note.getByText('Gone is 7: there is no such property').waitFor()
    expect(await page.getByRole('gridcell').count()).toBe(0)
    expect(await page.locator('h1 + .data').textContent()).toBe('')
  }
  await suite.visit('/o/bank/client?w=gone:eq:7&w=branch:eq:b0&o=lost:asc&w=creditLimit:gte:150')
  await page.getByText('Order by Lost: there is no such property').waitFor()
  await note.getByRole('button', { name: 'Remove Gone is 7' }).click()
  await note.getByText('It is called Credit line now.').waitFor()
  await repair(page).last().click()
  await counted(page, '5 read of 5')
  expect(view(page)).toBe('?w=branch:eq:b0&w=creditLine:gte:150&o=lost:asc')
})

it('computes no other measure than the chart is named after', async () => {
  const page = await suite.visit('/o/bank/client?view=charts&p=branch~sum:creditLimit')
  const chart = page.getByRole('region', { name: 'Chart', exact: true })
  await chart.getByText('Sum of Credit limit: there is no such property').waitFor()
  expect(await chart.locator('figure').count()).toBe(0)
  const measured = chart.getByLabel('Measured property')
  expect(await measured.locator('option:checked').textContent()).toBe('Credit limit')
  await repair(page).click()
  await chart.getByRole('button', { name: /^b2: 1,550/ }).waitFor()
  expect(view(page)).toBe('?view=charts&p=branch~sum:creditLine')
})

it('says on a dashboard what is missing, and repairs its tiles', async () => {
  const tiles = [
    { search: 'view=charts&p=branch~sum:creditLimit', width: 1 },
    { search: 'o=creditLimit:desc&c=branch,creditLimit', width: 2 },
    { search: 'view=charts&p=branch', width: 1 },
  ]
  const json = { name: 'Credit', address: '/client', tiles }
  const { body: saved } = await suite.service.send(VIEWS, { json })
  const page = await suite.visit(`/dashboards/bank/${saved.id}`)
  const tile = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) })
  const lost = tile('Sum of Credit limit by Branch')
  await lost.getByText('there is no such property').waitFor()
  await tile('Count by Branch').locator('figure').waitFor()
  expect(await lost.locator('figure').count()).toBe(0)
  expect(await page.getByRole('table').count()).toBe(0)
  await lost.getByRole('button', { name: 'Use Credit line' }).click()
  await tile('Sum of Credit line by Branch')
    .getByRole('button', { name: /^b2: 1,550/ })
    .waitFor()
  await repair(page).first().click()
  await repair(page).click()
  await page.getByRole('columnheader', { name: 'Credit line' }).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Arrange' }).waitFor()
  const { body: stored } = await suite.service.send(`${VIEWS}/${saved.id}`)
  expect(stored.tiles.map(({ search }: { readonly search: string }) => search)).toEqual([
    'view=charts&p=branch%7Esum%3AcreditLine',
    'o=creditLine%3Adesc&c=branch%2CcreditLine',
    'view=charts&p=branch',
  ])

  await suite.visit(`/dashboards/bank/${saved.id}?w=gone:eq:1`)
  await page.getByRole('alert').getByText('Gone is 1: there is no such property').waitFor()
  expect(await page.locator('figure').count()).toBe(0)
  await page.getByRole('alert').getByRole('button', { name: 'Remove Gone is 1' }).click()
  await page.locator('figure').first().waitFor()
})

it('leads on from an address of nothing', async () => {
  const page = await suite.visit('/o/bank/nope')
  await page.getByRole('heading', { name: 'There is no object type “nope”' }).waitFor()
  await page.getByRole('link', { name: 'Lead' }).waitFor()
  await page.getByRole('link', { name: 'See all of Bank.' }).click()
  await page.waitForURL('**/o/bank')
  await page.goto(`${suite.service.url}/o/nope/client`)
  await page.getByRole('link', { name: 'See what there is.' }).click()
  await page.getByRole('heading', { name: 'Bank' }).waitFor()
  await page.goto(`${suite.service.url}/o/bank/client/1/nope`)
  await page.getByRole('link', { name: 'See Client 1.' }).click()
  await page.waitForURL('**/o/bank/client/1')
  await page.goto(`${suite.service.url}/dashboards/bank/nope`)
  await page.getByRole('link', { name: 'See what there is.' }).click()
  await page.waitForURL('**/o/bank')

  const { objectTypes, ...rest } = (await suite.service.send('/api/admin/v1/ontologies/bank')).body
  const [client, lead] = objectTypes
  const prospect = { ...lead, apiName: 'prospect', renamedFrom: 'lead' }
  await suite.service.apply({ ...rest, objectTypes: [client, prospect] })
  await suite.visit('/o/bank/lead?o=branch:asc')
  await page.getByRole('link', { name: 'It is called Prospect now.' }).click()
  await page.waitForURL('**/o/bank/prospect?o=branch:asc')
})
