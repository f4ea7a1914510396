/** The numbers of charts, from a real service, against the same numbers computed from the objects. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Endpoints } from '../../src/client/endpoints/endpoints.ts'
import { JointAggregations } from '../../src/explorer/api/joint-aggregations.ts'
import { readChart } from '../../src/explorer/view/chart-state.ts'
import { EMPTY_VIEW, fromSearch } from '../../src/explorer/view/view-state.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

/** The parts of a cube that the tests look at. */
interface Cube {
  readonly axes: readonly { readonly buckets: readonly { readonly label: string }[] }[]
  readonly valueAt: (row: number, column?: number) => number | string | undefined
  readonly aggregations: readonly object[]
}

interface CubeModule {
  readonly cubeQuery: (...options: readonly unknown[]) => object
}

interface ServiceModule {
  readonly makeQueryClient: () => { readonly fetchQuery: (query: object) => Promise<Cube> }
}

// The types of a browser, which it is compiled with, are not known here.
const MODULE = new URL('../../src/explorer/charts/cube.ts', import.meta.url).href
const SERVICE_MODULE = new URL('../../src/explorer/api/service.ts', import.meta.url).href
const ALL = -1

interface Sale {
  readonly id: number
  readonly shop: string | null
  readonly amount: number | null
  readonly day: string
  readonly isReturned: boolean
  readonly tags: readonly string[]
  readonly size: { readonly width: number }
}

const SALES: readonly Sale[] = Array.from({ length: 240 }, (_, id) => ({
  id,
  shop: id % 10 === 9 ? null : `s${(id * id) % 7}`,
  amount: id % 13 === 12 ? null : ((id * 37) % 101) - 20,
  day: new Date(Date.UTC(2026, 0, 1 + (id % 90))).toISOString().slice(0, 10),
  isReturned: id % 4 === 0,
  tags: id % 3 === 0 ? ['red', 'blue'] : id % 3 === 1 ? ['red'] : [],
  size: { width: id % 5 },
}))

const scalar = <Type extends string>(type: Type) => ({ type })
const SALE = {
  apiName: 'sale',
  primaryKey: 'id',
  properties: {
    id: scalar('integer'),
    shop: scalar('string'),
    amount: scalar('integer'),
    day: scalar('date'),
    isReturned: scalar('boolean'),
    tags: { type: 'array', items: scalar('string') },
    size: { type: 'struct', fields: { width: scalar('integer') } },
  },
} as const

const started: { service?: Service } = {}
beforeAll(async () => {
  started.service = await startService()
  await started.service.apply({ apiName: 'market', objectTypes: [SALE] })
  await started.service.put('market', 'sale', SALES)
})
afterAll(() => started.service?.[Symbol.asyncDispose]())

async function read(text: string, search = ''): Promise<Cube> {
  const baseUrl = started.service?.url ?? ''
  const endpoints = new Endpoints({ baseUrl, token: ADMIN_TOKEN })
  const service = { aggregations: new JointAggregations(endpoints.objectSets) }
  const { cubeQuery } = (await import(MODULE)) as CubeModule
  const { makeQueryClient } = (await import(SERVICE_MODULE)) as ServiceModule
  const view = search === '' ? EMPTY_VIEW : fromSearch(new URLSearchParams(search))
  const ontology = { apiName: 'market', rid: '', objectTypes: [] }
  const of = { ontology, objectType: { ...SALE, rid: '' }, view }
  const chart = readChart(text)
  if (chart === undefined) throw new Error('no chart')
  return makeQueryClient().fetchQuery(cubeQuery(service, of, chart, 3))
}

/** Returns the value of each row, by its label. */
function rowsOf({ axes, valueAt }: Cube, column = ALL) {
  return (axes[0]?.buckets ?? []).map(({ label }, row) => [label, valueAt(row, column)])
}

const amounts = (sales: readonly Sale[]) => sales.flatMap(({ amount }) => amount ?? [])
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const average = (sales: readonly Sale[]) => sum(amounts(sales)) / amounts(sales).length
/** The nearest rank. */
function percentile(sales: readonly Sale[], percent: number) {
  const sorted = amounts(sales).toSorted((a, b) => a - b)
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1]
}

function grouped(of: (sales: readonly Sale[]) => number | undefined) {
  const groups = Map.groupBy(
    SALES.filter(({ shop }) => shop !== null),
    ({ shop }) => shop ?? '',
  )
  return [...groups].map(([shop, sales]) => [shop, of(sales)] as const)
}

const MEASURES = {
  'avg:amount': average,
  'sum:amount': (sales: readonly Sale[]) => sum(amounts(sales)),
  'median:amount': (sales: readonly Sale[]) => percentile(sales, 50),
  'p90:amount': (sales: readonly Sale[]) => percentile(sales, 90),
  'max:amount': (sales: readonly Sale[]) => Math.max(...amounts(sales)),
  'distinct:day': (sales: readonly Sale[]) => new Set(sales.map(({ day }) => day)).size,
} as const

it.each(Object.entries(MEASURES))(
  'computes %s of the top values, the rest, and what is missing',
  async (name, of) => {
    const cube = await read(`shop~${name}~top:2`)
    const all = grouped(of).toSorted(
      (a, b) => Number(b[1]) - Number(a[1]) || (a[0] < b[0] ? -1 : 1),
    )
    const top = all.slice(0, 2)
    const others = SALES.filter(
      ({ shop }) => shop !== null && !top.some(([shown]) => shown === shop),
    )
    const missing = SALES.filter(({ shop }) => shop === null)
    expect(rowsOf(cube)).toEqual([...top, ['others', of(others)], ['(missing)', of(missing)]])
    expect(cube.valueAt(ALL)).toBe(of(SALES))
  },
)

it('counts two dimensions in one request, with totals that add up', async () => {
  const cube = await read('size/width:value,isReturned~sort:name')
  const [rows, columns] = cube.axes
  expect(rows?.buckets.map(({ label }) => label)).toEqual(['0', '1', '2', '3', '4'])
  for (const [row, { label }] of (rows?.buckets ?? []).entries()) {
    for (const [column, bucket] of (columns?.buckets ?? []).entries()) {
      const expected = SALES.filter(
        ({ size, isReturned }) =>
          size.width === Number(label) && String(isReturned) === bucket.label,
      ).length
      expect(cube.valueAt(row, column)).toBe(expected)
    }
    expect(cube.valueAt(row)).toBe(48)
  }
  expect(cube.valueAt(ALL)).toBe(240)
  expect(cube.aggregations[0]).toEqual({
    where: {
      type: 'and',
      value: [
        {
          type: 'in',
          propertyIdentifier: {
            type: 'structField',
            propertyApiName: 'size',
            structFieldApiName: 'width',
          },
          value: [0, 1, 2, 3, 4],
        },
        { type: 'in', field: 'isReturned', value: [false, true] },
      ],
    },
    aggregation: [{ type: 'count', name: 'value' }],
    groupBy: [
      { type: 'exact', field: 'size.width' },
      { type: 'exact', field: 'isReturned' },
    ],
  })
})

it('cuts numbers into ranges of a width, and times into months', async () => {
  const ranges = rowsOf(await read('amount:25'))
  expect(ranges.map(([label]) => label)).toEqual([
    '-25 – 0',
    '0 – 25',
    '25 – 50',
    '50 – 75',
    '75 – 100',
    '(missing)',
  ])
  expect(sum(ranges.map(([, count]) => Number(count)))).toBe(240)
  const months = rowsOf(await read('day:month~sum:amount'))
  const of = (month: string) => sum(amounts(SALES.filter(({ day }) => day.startsWith(month))))
  expect(months).toEqual([
    ['Jan 2026', of('2026-01')],
    ['Feb 2026', of('2026-02')],
    ['Mar 2026', of('2026-03')],
  ])
})

it('groups by the elements of arrays', async () => {
  expect(rowsOf(await read('tags~top:1'))).toEqual([
    ['red', 160],
    ['others', 80],
  ])
})

it('compares with the period before, day by day, and with another filter', async () => {
  const search = 'w=day:gte:2026-02-01&w=day:lt:2026-03-01'
  const days = await read('day:day~vs:before', search)
  expect(days.axes[0]?.buckets.length).toBe(28)
  const countOf = (day: string) => SALES.filter((sale) => sale.day === day).length
  expect([days.valueAt(0, 0), days.valueAt(0, 1)]).toEqual([
    countOf('2026-02-01'),
    countOf('2026-01-01'),
  ])
  const other = await read('isReturned~vs:filter:shop:eq:s2', 'w=shop:eq:s1')
  const inShop = (name: string) =>
    SALES.filter(({ shop, isReturned }) => shop === name && !isReturned).length
  expect([other.valueAt(0, 0), other.valueAt(0, 1)]).toEqual([inShop('s1'), inShop('s2')])
})
