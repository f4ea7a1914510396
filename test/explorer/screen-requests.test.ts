/**
 * What a screen asks for: one page, one request for all that is counted, and one that waits for changes.
 */
import type { Page, Request, Route } from 'playwright-core'
import { expect, it } from 'vitest'
import { ITEM_COUNT } from '../support/explorer-data.ts'
import { explorerSuite } from '../support/explorer-suite.ts'
import { watchRequests } from '../support/page-requests.ts'
import { counted } from '../support/walked-rows.ts'

const suite = explorerSuite()

const COUNTS = '**/objects/item/aggregateBatch'
const SEARCHES = '**/objects/item/search'

/** Watches the requests for items, by the last part of their addresses. */
function watch(page: Page) {
  const { settled } = watchRequests(page)
  const sent: Request[] = []
  const aborted: Request[] = []
  page.on('request', (request) => {
    if (/\/(?:objects\/item|objectSets\/)/.test(request.url())) sent.push(request)
  })
  page.on('requestfailed', (request) => aborted.push(request))
  const nameOf = (request: Request) => new URL(request.url()).pathname.split('/').at(-1) ?? ''
  return {
    settled,
    take: () => sent.splice(0).map(nameOf),
    aborted: () => aborted.map(nameOf),
  }
}

const EMPTY = '/favicon.svg'
const rail = (page: Page) => page.getByRole('navigation', { name: 'Values' })
const search = (page: Page) => page.getByRole('textbox', { name: 'Search all texts' })

/** Holds the next request to an address. It waits until it is continued. */
async function hold(page: Page, address: string): Promise<{ readonly request: Promise<Route> }> {
  const held = Promise.withResolvers<Route>()
  await page.route(address, (route) => held.resolve(route), { times: 1 })
  return { request: held.promise }
}

async function openItems(query = ''): Promise<readonly [Page, ReturnType<typeof watch>]> {
  const page = await suite.visit(EMPTY)
  await page.unrouteAll()
  const requests = watch(page)
  await page.goto(`${suite.service.url}/o/shop/item${query}`)
  return [page, requests]
}

it('asks for one page, and once for all facets', async () => {
  const [page, requests] = await openItems()
  await rail(page).getByRole('checkbox', { name: 'm1 20' }).waitFor()
  await requests.settled()
  expect(requests.take().toSorted()).toEqual(['aggregateBatch', 'changes', 'search'])

  await rail(page).getByRole('checkbox', { name: 'm1 20' }).click()
  await counted(page, '20 read of 20')
  await rail(page).getByRole('checkbox', { name: 'odd 10' }).waitFor()
  await requests.settled()
  expect(requests.take().toSorted()).toEqual(['aggregateBatch', 'changes', 'search'])
})

it('counts all pictures in two requests, and the map in one', async () => {
  const [page, requests] = await openItems()
  await rail(page).getByRole('checkbox', { name: 'm1 20' }).waitFor()
  await requests.settled()
  requests.take()
  await page.getByRole('button', { name: 'Charts' }).click()
  await page.getByRole('group', { name: 'Price' }).waitFor()
  await requests.settled()
  expect(requests.take()).toEqual(['aggregateBatch', 'aggregateBatch'])
  await page.getByRole('button', { name: 'Map', exact: true }).click()
  await page.getByText('60 objects on this part of the map').waitFor()
  await requests.settled()
  // Few objects are shown one by one.
  expect(requests.take()).toEqual(['aggregateBatch', 'search'])
})

it('searches while one types, and drops what it no longer needs', async () => {
  const [page, requests] = await openItems()
  await counted(page, `${ITEM_COUNT} read`)
  // The first search is never answered.
  const held = await hold(page, SEARCHES)
  await search(page).pressSequentially('it')
  await held.request
  await search(page).pressSequentially('em 1')
  await counted(page, '11 read of 11')
  await expect
    .poll(() => requests.aborted().filter((name) => name === 'search'))
    .toEqual(['search'])
  // The words of a search are found before they are written to their end.
  expect(new URL(page.url()).searchParams.get('q')).toBe('item 1')
  await page.getByRole('gridcell', { name: 'Item 19' }).waitFor()
  expect(await page.getByRole('gridcell', { name: 'Item 2', exact: true }).count()).toBe(0)
  // All that was typed is one step back.
  await page.goBack()
  await counted(page, `${ITEM_COUNT} read`)
  await expect.poll(() => search(page).inputValue()).toBe('')
})

it('keeps what it shows until the next answer, and says nothing before that takes long', async () => {
  const [page] = await openItems()
  const facet = rail(page).getByRole('checkbox', { name: 'm1 20' })
  await facet.waitFor()
  const counts = await hold(page, COUNTS)
  await search(page).fill('item 1')
  await counted(page, '11 read of 11')
  const answer = await counts.request
  // The rows are new, the counts are still the old ones: nothing has moved or vanished.
  expect(await facet.isVisible()).toBe(true)
  expect(await page.getByText('Counting…').count()).toBe(0)
  await answer.continue()
  await rail(page).getByRole('checkbox', { name: 'm1 5' }).waitFor()

  // There is nothing to keep: a note says that it is counting, but not at once.
  const first = await hold(page, COUNTS)
  await page.reload()
  const note = page.getByText('Counting…').first()
  await note.waitFor({ state: 'visible' })
  // As a text, because the types of the browser are not known here.
  const delay =
    'document.querySelector(".late").computedStyleMap().get("animation-delay").toString()'
  expect(await page.evaluate(delay)).toBe('0.1s')
  await (await first.request).continue()
  await rail(page).getByRole('checkbox', { name: 'm1 5' }).waitFor()
  expect(await page.getByText('Counting…').count()).toBe(0)
})

it('counts the matches of a filter while it is written', async () => {
  const [page] = await openItems()
  await counted(page, `${ITEM_COUNT} read`)
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const form = page.getByRole('dialog', { name: 'New filter' })
  await form.getByLabel('Property').selectOption('price')
  await form.getByLabel('Condition').selectOption('gte')
  await form.getByLabel(/^Value/).fill('5')
  await form.getByText('56 objects match').waitFor()
  await form.getByLabel(/^Value/).fill('50')
  await form.getByText('20 objects match').waitFor()
  await form.getByLabel('Property').selectOption('name')
  await form.getByLabel('Condition').selectOption('eq')
  await form.getByLabel(/^Value/).fill('odd')
  await expect.poll(() => form.locator('datalist option').evaluateAll((all) => all.length)).toBe(8)
})
