import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RANKED_TIER_MAX } from '../../src/contract/limits.ts'
import { type Service, startService } from '../support/service.ts'

const PROPERTIES = {
  id: { type: 'long' },
  name: { type: 'string' },
  notes: { type: 'array', items: { type: 'string' } },
} as const

/** The same order on every database; equal scores in the order of the numbers. */
const LAKES = [
  { id: '-5', name: 'The old lake by the mill and the wood' },
  { id: '2', name: 'Lake' },
  { id: '10', name: 'Lake' },
  { id: '3', name: 'Lake lake by the lake' },
  { id: '4', name: 'North Lake' },
  { id: '5', name: 'Mill', notes: ['lake', 'lake'] },
  { id: '6', name: 'A lake, a heron' },
  { id: '7', name: 'The heron' },
  { id: '8', name: 'Mill of the lake' },
  { id: '9', name: 'The mill' },
]

describe('the order by relevance', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ settings: { OQS_PAGE_MAX_BYTES: '65536' } })
    for (const apiName of ['lakes', 'many']) {
      const type = { apiName: 'lake', primaryKey: 'id', properties: PROPERTIES }
      await service.apply({ apiName, objectTypes: [type] })
    }
    await service.put('lakes', 'lake', LAKES)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const search = (value: string, more: object = {}, ontology = 'lakes') =>
    service.send(`/api/v2/ontologies/${ontology}/objects/lake/search`, {
      json: {
        where: { type: 'containsAnyTerm', field: 'name', value },
        orderBy: { orderType: 'relevance' },
        select: ['id'],
        ...more,
      },
    })
  // biome-ignore lint/suspicious/noExplicitAny: the body is the thing under test
  const keysOf = ({ body }: { body: any }) =>
    body.data.map((record: { __primaryKey: string }) => record.__primaryKey)

  it('puts short texts and repeated terms first, and equal ones in key order', async () => {
    expect(keysOf(await search('lake'))).toEqual(['3', '2', '10', '4', '6', '8', '-5'])
  })

  it('puts rare terms before common ones', async () => {
    const keys = keysOf(await search('heron mill lake'))
    expect(keys.slice(0, 3)).toEqual(['6', '8', '-5'])
    expect(keys.indexOf('7')).toBeLessThan(keys.indexOf('2'))
  })

  it('is the same over pages, of which each holds as many records as fit', async () => {
    const whole = keysOf(await search('heron mill lake'))
    for (const pageSize of [1, 3]) {
      const keys: string[] = []
      let pageToken: string | undefined
      do {
        const page = await search('heron mill lake', { pageSize, pageToken, snapshot: true })
        keys.push(...keysOf(page))
        pageToken = page.body.nextPageToken
      } while (pageToken !== undefined)
      expect(keys).toEqual(whole)
    }
  })

  it('is that of keys in a tier with too many objects, and pages do not exceed their bytes', async () => {
    const count = RANKED_TIER_MAX.objects + 1
    const many = Array.from({ length: count }, (_, id) => ({ id: String(id), name: 'Lake Lake' }))
    const large = { id: '20000', name: 'Heron', notes: ['x'.repeat(40_000)] }
    const small = { id: '20001', name: 'Heron Heron' }
    await service.put('many', 'lake', [{ ...many[0], name: 'The lake' }, ...many.slice(1)])
    await service.put('many', 'lake', [large, { ...large, id: '20002' }, small])
    const first = await search('lake', { pageSize: 2, snapshot: true }, 'many')
    expect(keysOf(first)).toEqual(['0', '1'])
    const { nextPageToken: pageToken } = first.body
    const next = await search('lake', { pageSize: 2, snapshot: true, pageToken }, 'many')
    expect(keysOf(next)).toEqual(['2', '3'])
    const everything = { select: ['id', 'name', 'notes'] }
    const herons = await search('heron', everything, 'many')
    expect(keysOf(herons)).toEqual(['20001', '20000'])
    const rest = await search(
      'heron',
      { ...everything, pageToken: herons.body.nextPageToken },
      'many',
    )
    expect(keysOf(rest)).toEqual(['20002'])
  })
})
