import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AVIATION } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'

const LINKS = '/api/v2/ontologies/aviation/objectSets/loadLinks'
const COUNTRIES = { type: 'base', objectType: 'country' }
const AIRPORTS = { type: 'base', objectType: 'airport' }

interface Entry {
  readonly sourceObject: { readonly __primaryKey: string }
  readonly linkedObjects: readonly {
    readonly linkType: string
    readonly targetObject: { readonly __primaryKey: string; readonly __apiName: string }
  }[]
}

/** Returns the links of a page as `source>linked` texts. */
function linksOf(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ sourceObject, linkedObjects }) =>
    linkedObjects.map(
      ({ targetObject }) => `${sourceObject.__primaryKey}>${targetObject.__primaryKey}`,
    ),
  )
}

async function walk(service: Service, body: object): Promise<Entry[][]> {
  const pages: Entry[][] = []
  let pageToken: string | undefined
  do {
    const { status, body: page } = await service.send(LINKS, { json: { ...body, pageToken } })
    expect(status).toBe(200)
    pages.push(page.data)
    pageToken = page.nextPageToken
  } while (pageToken !== undefined)
  return pages
}

describe('load links', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(AVIATION)
    await service.put('aviation', 'country', [{ code: 'CH' }, { code: 'DE' }, { code: 'FR' }])
    await service.put('aviation', 'airport', [
      { id: 'A', countryCode: 'CH' },
      { id: 'B', countryCode: 'CH' },
      { id: 'C', countryCode: 'DE' },
      { id: 'D' },
      { id: 'E', countryCode: 'XX' },
      { id: 'F', countryCode: '' },
    ])
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('returns the linked objects of each object, by type and key', async () => {
    const { status, body } = await service.send(`${LINKS}?preview=true`, {
      json: { objectSet: COUNTRIES, links: ['airports'], includeComputeUsage: false },
    })
    expect(status).toBe(200)
    const locator = (apiName: string, key: string) => ({ __primaryKey: key, __apiName: apiName })
    const link = (key: string) => ({ targetObject: locator('airport', key), linkType: 'airports' })
    expect(body).toEqual({
      data: [
        { sourceObject: locator('country', 'CH'), linkedObjects: [link('A'), link('B')] },
        { sourceObject: locator('country', 'DE'), linkedObjects: [link('C')] },
        { sourceObject: locator('country', 'FR'), linkedObjects: [] },
      ],
    })
  })

  it('follows foreign keys to objects that exist', async () => {
    const { body } = await service.send(LINKS, {
      json: { objectSet: AIRPORTS, links: ['country', 'country'] },
    })
    expect(linksOf(body.data)).toEqual(['A>CH', 'B>CH', 'C>DE'])
    expect(body.data).toHaveLength(6)
  })

  it('starts at the objects of the set', async () => {
    const objectSet = {
      type: 'filter',
      objectSet: COUNTRIES,
      where: { type: 'gt', field: 'code', value: 'CH' },
    }
    const { body } = await service.send(LINKS, { json: { objectSet, links: ['airports'] } })
    expect(linksOf(body.data)).toEqual(['DE>C'])
  })

  it.each([
    [{ links: ['airports'] }, 422, 'Conjure:UnprocessableEntity', { parameter: 'objectSet' }],
    [{ objectSet: COUNTRIES }, 422, 'Conjure:UnprocessableEntity', { parameter: 'links' }],
    [
      { objectSet: COUNTRIES, links: [] },
      422,
      'Conjure:UnprocessableEntity',
      { parameter: 'links' },
    ],
    [
      { objectSet: COUNTRIES, links: ['airprots'] },
      404,
      'LinkTypeNotFound',
      { objectType: 'country', linkType: 'airprots' },
    ],
    [
      { objectSet: { type: 'union', objectSets: [COUNTRIES, AIRPORTS] }, links: ['airports'] },
      400,
      'IncompatibleNestedObjectSet',
      { objectTypes: ['country', 'airport'] },
    ],
    [
      { objectSet: COUNTRIES, links: ['airports'], pageToken: 'x' },
      400,
      'InvalidPageToken',
      { pageToken: 'x' },
    ],
    [
      { objectSet: COUNTRIES, links: ['airports'], pageSize: 1 },
      422,
      'Conjure:UnprocessableEntity',
      { parameter: 'pageSize' },
    ],
  ])('refuses %j', async (json, status, errorName, parameters) => {
    const { body, ...response } = await service.send(LINKS, { json })
    expect(response.status).toBe(status)
    expect(body).toMatchObject({ errorName, parameters })
  })

  it('requires the read scope, and an ontology that the caller may see', async () => {
    const writer = await service.createToken({ scopes: ['api:ontologies-write'] })
    const stranger = await service.createToken({ ontologies: ['numbers'] })
    const json = { objectSet: COUNTRIES, links: ['airports'] }
    expect((await service.send(LINKS, { json, token: writer })).status).toBe(403)
    const { body } = await service.send(LINKS, { json, token: stranger })
    expect(body.errorName).toBe('OntologyNotFound')
  })
})

describe('pages of links', () => {
  const airports = Array.from({ length: 2500 }, (_, n) => ({
    id: `A${String(n).padStart(4, '0')}`,
    countryCode: `C${n % 7}`,
  }))
  const countries = Array.from({ length: 7 }, (_, n) => ({ code: `C${n}` }))
  const expected = airports.map(({ id, countryCode }) => `${countryCode}>${id}`).toSorted()

  async function startWith(settings: Record<string, string>): Promise<Service> {
    const service = await startService({ settings })
    await service.apply(AVIATION)
    await service.put('aviation', 'country', countries)
    await service.put('aviation', 'airport', airports)
    return service
  }

  it('cover 1,000 objects each', async () => {
    await using service = await startWith({})
    const pages = await walk(service, { objectSet: AIRPORTS, links: ['country'] })
    expect(pages.map((page) => page.length)).toEqual([1000, 1000, 500])
    expect(linksOf(pages.flat())).toEqual(
      airports.map(({ id, countryCode }) => `${id}>${countryCode}`),
    )
  })

  // About 1,000 links per page: several objects. About 100: not even one object fits.
  it.each(['100000', '10000'])('hold every link once within %s bytes', async (bytes) => {
    await using service = await startWith({ OQS_PAGE_MAX_BYTES: bytes })
    const pages = await walk(service, { objectSet: COUNTRIES, links: ['airports'] })
    expect(pages.length).toBeGreaterThan(2)
    expect(linksOf(pages.flat()).toSorted()).toEqual(expected)
    for (const page of pages) {
      expect(page.length).toBeGreaterThan(0)
      expect(JSON.stringify(page).length).toBeLessThan(1.2 * Number(bytes))
    }
  })

  it('lose and double no link of unchanged objects while others change', async () => {
    await using service = await startWith({ OQS_PAGE_MAX_BYTES: '10000' })
    const body = { objectSet: COUNTRIES, links: ['airports'] }
    const seen: string[] = []
    const deleted = new Set<string>()
    let pageToken: string | undefined
    let pages = 0
    do {
      const { body: page } = await service.send(LINKS, { json: { ...body, pageToken } })
      seen.push(...linksOf(page.data))
      pageToken = page.nextPageToken
      const [victim] = airports.slice(pages * 11)
      if (victim !== undefined) deleted.add(`${victim.countryCode}>${victim.id}`)
      await service.write('aviation', 'airport', [
        { delete: victim?.id },
        { put: { id: `New${pages}`, countryCode: 'C0' } },
      ])
      pages += 1
    } while (pageToken !== undefined)
    expect(new Set(seen).size).toBe(seen.length)
    const kept = seen.filter((link) => !link.includes('New') && !deleted.has(link))
    expect(kept.toSorted()).toEqual(expected.filter((link) => !deleted.has(link)))
  })
})
