/** Every screen and popup of the explorer, checked by axe in light and in dark. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { PAGE_TOKEN_TTL_SECONDS } from '../../src/contract/limits.ts'
import { accessibilityFaults } from '../support/browser.ts'
import { startWalks } from '../support/explorer-data.ts'
import { explorerSuite } from '../support/explorer-suite.ts'
import { counted, toEnd } from '../support/walked-rows.ts'

const suite = explorerSuite(startWalks)

/** Few rows: each cell costs axe as much as the first. */
const ROWS = '/o/shop/item?w=makerCode:eq:m1&w=price:gte:60'
const LAYER = 'dialog[open], [popover]:popover-open'

/** A state that an address leads to, and an element that shows that it has been reached. */
type Screen = readonly [
  name: string,
  path: string,
  reached: (page: Page) => { waitFor(): Promise<void> },
]

const SCREENS: readonly Screen[] = [
  ['home', '/', (page) => page.locator('svg path').first()],
  ['table', ROWS, (page) => page.getByRole('gridcell').first()],
  ['snapshot', `${ROWS}&at=snapshot`, (page) => page.getByText(/^Snapshot of/)],
  ['no match', '/o/shop/item?w=id:eq:none', (page) => page.getByText('No object matches.')],
  [
    'unknown property',
    '/o/shop/item?w=gone:eq:7&w=price:gte:70',
    (page) => page.getByText('there is no such property').first(),
  ],
  ['error', '/dashboards/shop/none', (page) => page.getByRole('alert')],
  ['no type', '/o/shop/none', (page) => page.getByText('See all of Shop.')],
  [
    'pictures',
    `${ROWS}&view=charts`,
    (page) => page.getByRole('group', { name: 'Sold at' }).getByRole('button').first(),
  ],
  ...[
    'makerCode~avg:price',
    'soldAt,isNew',
    'makerCode,isNew~as:pivot',
    'makerCode,tags',
    'price,size/width',
    'isNew~vs:filter:makerCode:eq:m2',
    'place~avg:price',
  ].map(
    (chart): Screen => [
      `chart ${chart}`,
      `${ROWS}&view=charts&p=${chart}`,
      (page) => page.getByText('The numbers').or(page.getByRole('table')).first(),
    ],
  ),
  ['map', '/o/shop/item?view=map', (page) => page.getByText('objects on this part of the map')],
  [
    'coloured map',
    '/o/shop/item?view=map&by=makerCode&in=0,0,40,40',
    (page) => page.getByText('others or missing'),
  ],
  [
    'object',
    '/o/shop/item/i004',
    (page) => page.getByRole('link', { name: 'Brass Works' }).first(),
  ],
  ['comparison', '/o/shop/item/i001?with=i003', (page) => page.getByText('properties differ.')],
  [
    'missing object',
    '/o/shop/item/none',
    (page) => page.getByText('There is no Item with the key'),
  ],
  ['links', '/o/shop/maker/m1/items?w=price:gte:60', (page) => page.getByRole('gridcell').first()],
  ['unknown ontology', '/o/none', (page) => page.getByText('There is no ontology')],
  ['unknown type', '/o/shop/none', (page) => page.getByText('There is no object type')],
  ['unknown link', '/o/shop/maker/m1/none', (page) => page.getByText('has no link')],
]

it.each(SCREENS)('has no violation on the screen: %s', async (_, path, reached) => {
  const page = await suite.visit(path)
  await reached(page).waitFor()
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
})

it.each(['light', 'dark'] as const)('has no violation on a dashboard, %s', async (colorScheme) => {
  const tiles = [
    { search: 'view=charts&p=makerCode~avg:price', width: 1 },
    { search: 'view=map', width: 2 },
    { search: 'o=price:desc', width: 3 },
  ]
  const json = { name: 'Shop', address: '/item?w=price:gte:5', tiles }
  const { body } = await suite.service.send('/api/admin/v1/ontologies/shop/views', { json })
  for (const width of [1440, 390]) {
    const page = await suite.visit(`/dashboards/shop/${body.id}`, { colorScheme, width })
    await page.getByRole('columnheader', { name: 'Price' }).waitFor()
    await page.getByRole('button', { name: 'Arrange' }).click()
    await page.getByLabel('Width').first().waitFor()
    await expect.poll(() => accessibilityFaults(page)).toEqual([])
  }
})

it('has no violation on the sign-in, and on its error', async () => {
  const page = await suite.visit('/', { token: null })
  await page.getByLabel('Token').fill('wrong')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('alert').waitFor()
  await expect.poll(() => accessibilityFaults(page)).toEqual([])
})

/** Opens each layer in turn, checks it, and closes it. */
async function checkLayers(page: Page, openers: Readonly<Record<string, () => Promise<unknown>>>) {
  for (const [name, open] of Object.entries(openers)) {
    await open()
    const layer = page.locator(LAYER).first()
    await layer.waitFor()
    expect([name, await accessibilityFaults(page, LAYER)]).toEqual([name, []])
    await page.keyboard.press('Escape')
    const discard = layer.getByRole('button', { name: 'Discard' })
    if (name === TYPED) await discard.click()
    await layer.waitFor({ state: 'detached' })
  }
}

/** A dialog with typed values, which Escape does not drop. */
const TYPED = 'review'

const press = (page: Page, name: string) => () =>
  page.getByRole('button', { name, exact: true }).first().click()

it('has no violation in a popup or dialog of the table', async () => {
  const page = await suite.visit(ROWS)
  await page.getByRole('gridcell').first().waitFor()
  await checkLayers(page, {
    'column menu': async () => {
      await press(page, 'Column price')()
      await page.getByRole('definition').first().waitFor()
    },
    'filter editor': async () => {
      await press(page, 'Column price')()
      await page.getByRole('button', { name: 'Filter…' }).click()
      await page.getByLabel('Condition').waitFor()
    },
    'new filter': press(page, 'Filter'),
    columns: press(page, 'Columns'),
    export: press(page, 'Export'),
    'saved views': press(page, 'Views'),
    details: press(page, 'Details for developers'),
    palette: async () => {
      await page.keyboard.press('Control+k')
      await page.getByRole('option').first().waitFor()
    },
    help: () => page.keyboard.press('?'),
    new: press(page, 'New'),
  })
})

it('has no violation in the request panel, the find bar and the object beside the table', async () => {
  const page = await suite.visit(`${ROWS}&peek=i049`)
  await page
    .getByRole('complementary', { name: 'Object i049' })
    .getByText('Item 49')
    .first()
    .waitFor()
  await press(page, 'Request')()
  await page.getByRole('complementary', { name: 'The request behind this view' }).waitFor()
  await page.keyboard.press('Control+f')
  await page.getByLabel('Find', { exact: true }).waitFor()
  await expect.poll(() => accessibilityFaults(page, 'aside, form')).toEqual([])
})

it('has no violation in a dialog of an object', async () => {
  const page = await suite.visit('/o/shop/item/i001')
  await page.getByRole('heading', { name: 'Item 1' }).waitFor()
  await checkLayers(page, {
    compare: press(page, 'Compare'),
    edit: press(page, 'Edit'),
    review: async () => {
      await press(page, 'Edit')()
      await page.getByLabel('Name (string)').fill('Other')
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByText('Other', { exact: true }).waitFor()
    },
    delete: press(page, 'Delete'),
  })
})

it('has no violation where a walk cannot go on', async () => {
  const { service } = suite
  const token = await service.createToken({ name: 'revoked' })
  const page = await suite.visit('/o/walks/row?c=name', { token })
  await counted(page, '1,000 read')
  service.clock.now += 1000 * PAGE_TOKEN_TTL_SECONDS + 1000
  await toEnd(page)
  const notice = page.locator('main [role="status"]')
  await notice.filter({ hasText: 'Page 2 expired.' }).waitFor()
  await expect.poll(() => accessibilityFaults(page, 'main [role="status"]')).toEqual([])
  await service.revokeTokens('revoked')
  await page.getByRole('button', { name: 'Start again' }).click()
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
  await expect.poll(() => accessibilityFaults(page, LAYER)).toEqual([])
})
