/** Walks over linked objects while both types change: a snapshot pins the versions of both. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { AVIATION } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'

const COUNTRIES = ['CH', 'DE', 'FR', 'IT']
const AIRPORTS_PER_COUNTRY = 5
/** The airports of all countries that are named `open`. */
const OBJECT_SET = {
  type: 'searchAround',
  objectSet: {
    type: 'filter',
    objectSet: { type: 'base', objectType: 'country' },
    where: { type: 'eq', field: 'name', value: 'open' },
  },
  link: 'airports',
}

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.apply(AVIATION)
  await service.put('aviation', 'airport', airports(0))
  await open(['CH', 'DE'])
})
afterAll(() => service[Symbol.asyncDispose]())

function airports(elevation: number): object[] {
  return COUNTRIES.flatMap((countryCode) =>
    Array.from({ length: AIRPORTS_PER_COUNTRY }, (_, n) => ({
      id: `${countryCode}${n}`,
      countryCode,
      elevation,
    })),
  )
}

/** One commit: these countries are open, the others are not. */
function open(countries: readonly string[]): Promise<unknown> {
  const objects = COUNTRIES.map((code) => ({
    code,
    name: countries.includes(code) ? 'open' : 'closed',
  }))
  return service.put('aviation', 'country', objects)
}

async function walk(snapshot: boolean, betweenPages: () => Promise<unknown>) {
  const objects: { id: string; elevation: number }[] = []
  let pageToken: string | undefined
  do {
    const { status, body } = await service.send(
      '/api/v2/ontologies/aviation/objectSets/loadObjects',
      {
        json: { objectSet: OBJECT_SET, pageSize: 3, snapshot, pageToken },
      },
    )
    expect(status).toBe(200)
    objects.push(...body.data)
    pageToken = body.nextPageToken
    await betweenPages()
  } while (pageToken !== undefined)
  return objects
}

it('returns the objects of one moment, whichever type changes between the pages', async () => {
  const pairs = [
    ['CH', 'DE'],
    ['FR', 'IT'],
  ]
  for (let round = 0; round < 4; round += 1) {
    const before = pairs[round % 2] ?? []
    let commits = 0
    const objects = await walk(true, async () => {
      commits += 1
      await open(pairs[(round + commits) % 2] ?? [])
      await service.put('aviation', 'airport', airports(100 * round + commits))
    })
    const countries = [...new Set(objects.map(({ id }) => id.slice(0, 2)))]
    expect(countries).toEqual(before)
    expect(objects).toHaveLength(before.length * AIRPORTS_PER_COUNTRY)
    expect(new Set(objects.map(({ elevation }) => elevation)).size).toBe(1)
    await open(pairs[(round + 1) % 2] ?? [])
  }
})

it('reads the latest of both types without a snapshot', async () => {
  await open(['CH', 'IT'])
  let pages = 0
  const objects = await walk(false, async () => {
    pages += 1
    // After the first page, the rest of CH is gone and DE comes in, before IT.
    if (pages === 1) await open(['DE', 'IT'])
  })
  expect(objects.map(({ id }) => id.slice(0, 2)).join(' ')).toBe(
    'CH CH CH DE DE DE DE DE IT IT IT IT IT',
  )
})

it('refuses the token of a set for another one', async () => {
  await open(['CH', 'DE'])
  const load = (json: object) =>
    service.send('/api/v2/ontologies/aviation/objectSets/loadObjects', { json })
  const { body } = await load({ objectSet: OBJECT_SET, pageSize: 3, snapshot: true })
  const { nextPageToken: pageToken } = body
  const all = { ...OBJECT_SET, objectSet: { type: 'base', objectType: 'country' } }
  const other = await load({ objectSet: all, pageSize: 3, snapshot: true, pageToken })
  expect(other.status).toBe(400)
  expect(other.body).toMatchObject({
    errorName: 'InvalidPageToken',
    parameters: { reason: 'other request' },
  })
})
