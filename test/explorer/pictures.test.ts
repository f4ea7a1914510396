/** Pictures and the map: what is brushed, pressed or drawn becomes a filter. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { explorerSuite } from '../support/explorer-suite.ts'

const suite = explorerSuite()

const filtersOf = (url: string) => new URL(url).searchParams.getAll('w')

/** Opens the chart that counts by a property; returns its bars. */
async function openBars(property: string, name: string) {
  const page = await suite.visit(`/o/shop/item?view=charts&p=${property}`)
  const bars = page.getByRole('group', { name: `Count by ${name}` }).getByRole('button')
  await bars.first().waitFor()
  return { page, bars }
}

/** Moves the pointer to a point of an element, in parts of its size. */
async function pointAt(page: Page, box: Box | null, [x, y]: readonly [number, number]) {
  if (box === null) throw new Error('The element is not on the screen.')
  await page.mouse.move(box.x + box.width * x, box.y + box.height * y)
}

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

it('brushes a histogram with the pointer', async () => {
  const { page, bars } = await openBars('price', 'Price')
  await pointAt(page, await bars.nth(2).boundingBox(), [0.5, 0.5])
  await page.mouse.down()
  await pointAt(page, await bars.nth(5).boundingBox(), [0.5, 0.5])
  await page.mouse.up()
  await page.waitForURL(/w=price:gte/)
  expect(filtersOf(page.url())).toEqual(['price:gte:10', 'price:lt:30'])
})

it('brushes the newest part of a time line as a period with both bounds', async () => {
  const page = await suite.visit('/o/shop/item?view=charts&p=soldAt:month')
  const bar = page.getByRole('button', { name: /^Mar 2026/ })
  await bar.focus()
  await page.keyboard.press('Shift+ArrowLeft')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/*soldAt:lt:2026-04-01*')
  const against = page.getByLabel('Compared with')
  await against.selectOption('the period before')
  await page.getByRole('list', { name: 'Compared' }).getByText('the period before').waitFor()
})

it('filters by a period that has a name, and by days without a time', async () => {
  const page = await suite.visit('/o/shop/item')
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const form = page.getByRole('dialog', { name: 'New filter' })
  await form.getByLabel('Property').selectOption('soldAt')
  await form.getByLabel('Period').selectOption('This year')
  const year = await form.getByLabel('From').inputValue()
  expect(year).toMatch(/^\d{4}-01-01$/)
  await form.getByLabel('From').fill('2026-01-10')
  await form.getByLabel('To').fill('2026-01-19')
  // Both days as a whole.
  await form.getByText('10 objects match').waitFor()
  await form.getByRole('button', { name: 'Add the filter' }).click()
  await page.getByRole('button', { name: /^Sold at is between 2026-01-10 and 2026-01-19/ }).click()
  const editor = page.getByRole('dialog', { name: 'Filter: Sold at' })
  await editor.getByLabel('Time (UTC)').last().fill('12:30')
  await editor.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL('**/*,2026-01-19T12:30:00.000Z')
  await page.goto(`${page.url()}&view=charts&p=makerCode`)
  await page.getByLabel('Compared with').selectOption('the period before')
  await page.getByRole('list', { name: 'Compared' }).getByText('the period before').waitFor()
})

it('brushes a time line with keys', async () => {
  const { page, bars } = await openBars('soldAt', 'Sold at')
  await bars.first().focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Enter')
  await page.waitForURL(/w=soldAt/)
  expect(filtersOf(page.url()).map((each) => each.split(':').slice(0, 2).join(':'))).toEqual([
    'soldAt:gte',
    'soldAt:lt',
  ])
})

it('presses a bar of a picture, and counts what is missing', async () => {
  const page = await suite.visit('/o/shop/item?view=charts')
  const maker = page.getByRole('region', { name: 'Maker code' })
  await maker.getByRole('button', { name: '15 without a value' }).waitFor()
  await maker.getByRole('button', { name: /^m1/ }).click()
  await page.waitForURL(/w=makerCode:eq:m1/)
})

it('draws a box on the map, zooms by keys, and peeks at single objects', async () => {
  const page = await suite.visit('/o/shop/item?view=map')
  await page.getByText('60 objects on this part of the map').waitFor()
  const map = page.getByRole('application', { name: /^Map/ })
  const area = await map.boundingBox()
  await pointAt(page, area, [0.5, 0.3])
  await page.mouse.down()
  await pointAt(page, area, [0.6, 0.5])
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
})

it('draws the outermost values of every numeric type, and filters for them', async () => {
  const extremes = {
    byte: [-128, 127],
    short: [-32_768, 32_767],
    integer: [-2_147_483_648, 2_147_483_647],
    long: ['-9223372036854775808', '9223372036854775807'],
    decimal: ['-0.35', '0.85'],
  } as const
  const types = Object.keys(extremes) as (keyof typeof extremes)[]
  const named = (of: (type: keyof typeof extremes) => unknown) =>
    Object.fromEntries(types.map((type) => [`${type}Value`, of(type)]))
  const properties = { id: { type: 'string' }, ...named((type) => ({ type })) } as never
  await suite.service.apply({
    apiName: 'edges',
    objectTypes: [{ apiName: 'edge', primaryKey: 'id', properties }],
  })
  const objects = [0, 1].map((at) => ({ id: `e${at}`, ...named((type) => extremes[type][at]) }))
  await suite.service.put('edges', 'edge', objects)
  const page = await suite.visit('/o/edges/edge?view=charts')
  const barsOf = (name: string) => page.getByRole('group', { name }).getByRole('button')
  for (const name of ['Byte', 'Short', 'Integer', 'Long', 'Decimal']) {
    await barsOf(`${name} value`).first().waitFor()
  }
  await expect.poll(() => page.getByRole('alert').allTextContents()).toEqual([])
  await barsOf('Byte value').first().focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.waitForURL(/w=byteValue:gte/)
  await page.getByRole('button', { name: 'Table' }).click()
  await page.getByRole('link', { name: 'e1' }).waitFor()
  await expect.poll(() => page.getByRole('link', { name: /^e\d$/ }).count()).toBe(1)
})

it('draws finer borders where a part of the world fills the map', async () => {
  const page = await suite.visit('/o/shop/item?view=map')
  await page.getByText('objects on this part of the map').waitFor()
  const fine = page.waitForResponse(/countries-50m/)
  await page.goto(`${suite.service.url}/o/shop/item?view=map&in=5,45,11,48`)
  expect((await fine).status()).toBe(200)
})

it('colours a map by the values of a property, or by its average', async () => {
  const page = await suite.visit('/o/shop/item?view=map')
  const colour = page.getByLabel('Colour by')
  await colour.selectOption('Maker code')
  const legend = (name: string) => page.getByRole('list', { name })
  const partsOf = (name: string) => legend(name).getByRole('listitem').allInnerTexts()
  await expect
    .poll(() => partsOf('Maker code, most frequent'))
    .toEqual([
      'Maker code, most frequent:',
      'Anvil & Sons',
      'Brass Works',
      'Copper Mill',
      'others or missing',
    ])
  await colour.selectOption('Price')
  await page.waitForURL(/by=price/)
  await expect
    .poll(() => partsOf('Price, average'))
    .toEqual(['Price, average:', '< 13.75', '≥ 13.75', '≥ 28.75', '≥ 43.75', '≥ 58.75', 'missing'])
})

it('draws shapes, lists them, and filters for those in a box', async () => {
  const square = (west: number, south: number) => ({
    type: 'Polygon',
    coordinates: [
      [
        [west, south],
        [west + 20, south],
        [west + 20, south + 20],
        [west, south + 20],
        [west, south],
      ],
    ],
  })
  await suite.service.apply({
    apiName: 'land',
    objectTypes: [
      {
        apiName: 'field',
        primaryKey: 'id',
        properties: { id: { type: 'string' }, area: { type: 'geoshape' } },
      },
    ],
  })
  await suite.service.put('land', 'field', [
    { id: 'north', area: square(-10, 20) },
    { id: 'south', area: square(-10, -40) },
    { id: 'nowhere' },
  ])
  const page = await suite.visit('/o/land/field?view=map')
  await page.getByText('2 objects on this part of the map').waitFor()
  const map = page.getByRole('application', { name: /^Map/ })
  const area = await map.boundingBox()
  await pointAt(page, area, [0.5, 0.33])
  await page.mouse.down()
  await page.mouse.up()
  await page.waitForURL(/peek=north/)
  await page.goto(`${suite.service.url}/o/land/field?view=map&in=-30,-60,30,-10`)
  await page.getByText('1 object on this part of the map').waitFor()
  await page.getByText('List them').click()
  await page.getByRole('button', { name: 'south', exact: true }).waitFor()
})
