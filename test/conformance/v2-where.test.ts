import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { type Service, startService, type TestResponse } from '../support/service.ts'

const DEFINITION: OntologyDefinition = {
  apiName: 'trips',
  objectTypes: [
    {
      apiName: 'trip',
      primaryKey: 'id',
      properties: {
        id: { type: 'string' },
        name: { type: 'string' },
        seats: { type: 'integer' },
        day: { type: 'date' },
        days: { type: 'array', items: { type: 'date' } },
        start: { type: 'timestamp' },
        spot: { type: 'geopoint' },
        area: { type: 'geoshape' },
      },
    },
  ],
}

const SEARCH = '/api/v2/ontologies/trips/objects/trip/search'
const DAY_MS = 86_400_000
/** Late in the evening in Berlin, which is an hour ahead of UTC. */
const EVENING = Date.parse('2026-02-10T22:59:00Z')

let service: Service
beforeAll(async () => {
  service = await startService()
  service.clock.now = EVENING
  await service.apply(DEFINITION)
})
afterAll(() => service[Symbol.asyncDispose]())

const search = (body: object) => service.send(SEARCH, { json: body })
const keysOf = ({ body }: TestResponse) =>
  (body.data as { __primaryKey: string }[]).map((record) => record.__primaryKey)

const point = (longitude: unknown, latitude: unknown) => ({
  type: 'Point',
  coordinates: [longitude, latitude],
})
const relative = (value: unknown, timeUnit: unknown = 'DAY') => ({
  type: 'relativePoint',
  value,
  timeUnit,
})
const dates = (more: object) => ({
  type: 'relativeDateRange',
  field: 'day',
  timeZoneId: 'Europe/Berlin',
  ...more,
})

describe('where: relative dates', () => {
  beforeAll(async () => {
    const objects = Array.from({ length: 30 }, (_, index) => {
      const start = new Date(EVENING + (index - 15) * DAY_MS)
      return {
        id: String(index).padStart(2, '0'),
        day: start.toISOString().slice(0, 10),
        start: start.toISOString(),
      }
    })
    await service.put('trips', 'trip', objects)
  })

  it('selects the days from the start, included, to the end, excluded', async () => {
    const where = dates({ relativeStartTime: relative(-2), relativeEndTime: relative(1) })
    expect(keysOf(await search({ where }))).toEqual(['13', '14', '15'])
    const onTimestamps = { ...where, field: 'start' }
    expect(keysOf(await search({ where: onTimestamps }))).toEqual(['13', '14', '15'])
  })

  it.each([true, false])('stays on the day of its start [snapshot %s]', async (snapshot) => {
    const where = dates({ relativeStartTime: relative(0), relativeEndTime: relative(1, 'WEEK') })
    const body = { where, pageSize: 2, snapshot }
    const keys: string[] = []
    let pageToken: string | undefined
    do {
      const page = await search({ ...body, pageToken })
      expect(page.status).toBe(200)
      keys.push(...keysOf(page))
      expect(page.body.totalCount).toBe('7')
      pageToken = page.body.nextPageToken
      // Each page is requested a minute later: the second is after midnight in Berlin.
      service.clock.now += 60_000
    } while (pageToken !== undefined)
    expect(keys).toEqual(['15', '16', '17', '18', '19', '20', '21'])
    const next = await search(body)
    expect(keysOf(next)).toEqual(['16', '17'])
    service.clock.now = EVENING
  })

  it('selects by the day of the first request', async () => {
    const where = dates({ relativeEndTime: relative(0) })
    const today = await search({ where })
    service.clock.now += 60_000
    const tomorrow = await search({ where })
    service.clock.now = EVENING
    expect(keysOf(tomorrow)).toEqual([...keysOf(today), '15'])
  })

  it('counts and aggregates the selected objects', async () => {
    const where = dates({ relativeStartTime: relative(0) })
    const { body } = await search({ where, pageSize: 1 })
    expect(body.totalCount).toBe('15')
    const path = '/api/v2/ontologies/trips/objects/trip/aggregate'
    const json = { where, aggregation: [{ type: 'count', name: 'count' }], groupBy: [] }
    const aggregated = await service.send(path, { json })
    expect(aggregated.body.data[0].metrics).toEqual([{ name: 'count', value: 15 }])
  })

  it('selects within object sets', async () => {
    const where = dates({ relativeStartTime: relative(0), relativeEndTime: relative(1) })
    const base = { type: 'base', objectType: 'trip' }
    const objectSet = { type: 'filter', objectSet: base, where }
    const path = '/api/v2/ontologies/trips/objectSets/loadObjects'
    const loaded = await service.send(path, { json: { objectSet, select: [] } })
    expect(keysOf(loaded)).toEqual(['15'])
  })
})

describe('where: walks', () => {
  it('neither lose nor repeat an object while others are written', async () => {
    const names = Array.from({ length: 60 }, (_, index) => ({
      id: `w${String(index).padStart(3, '0')}`,
      name: `walk number ${index} of many`,
    }))
    await service.put('trips', 'trip', names)
    const interval = { type: 'match', query: 'walk many', ordered: true, maxGaps: 3 }
    for (const where of [
      { type: 'wildcard', field: 'name', value: 'walk*many' },
      { type: 'regex', field: 'name', value: 'walk number \\d+ of many' },
      { type: 'interval', field: 'name', rule: interval },
    ]) {
      const keys: string[] = []
      let pageToken: string | undefined
      do {
        const page = await search({ where, pageSize: 7, pageToken })
        keys.push(...keysOf(page))
        pageToken = page.body.nextPageToken
        // The same objects again, so that every page reads another version.
        await service.put('trips', 'trip', names.slice(0, 5))
      } while (pageToken !== undefined)
      expect(keys).toEqual(names.map(({ id }) => id))
    }
  })
})

describe('where: terms', () => {
  const TEXTS = {
    t1: "Chicago O'Hare International",
    t2: "Coeur D'Alene",
    t3: "The obvious choice of O'Brien",
    t4: "O'Hare near Chicago",
    t5: '東京都 tour',
    t7: 'Learn C# on the way',
    t8: 'Learn C++ at the coast',
    // PostgreSQL keeps no more than 255 positions of a term.
    t6: `O'Brien${' and'.repeat(300)}`,
  }
  beforeAll(async () => {
    const objects = Object.entries(TEXTS).map(([id, name]) => ({ id, name }))
    await service.put('trips', 'trip', objects)
  })

  const inOrder = (value: string) => ({
    type: 'containsAllTermsInOrderPrefixLastTerm',
    field: 'name',
    value,
  })
  const interval = (rule: object) => ({ type: 'interval', field: 'name', rule })
  const match = (query: string) => interval({ type: 'match', query, ordered: true })
  const fuzzy = (value: string) => ({ type: 'containsAllTerms', field: 'name', value, fuzzy: true })
  it.each([
    [inOrder('chicago o'), ['t1']],
    [inOrder('chicago ohare'), []],
    [inOrder('coeur d'), ['t2']],
    [inOrder('the ob'), ['t3']],
    [inOrder('of o'), ['t3']],
    [inOrder('learn c'), ['t7', 't8']],
    [inOrder('learn c#'), ['t7']],
    [inOrder('c++ a'), ['t8']],
    [inOrder('c#'), ['t7']],
    [match('learn c#'), ['t7', 't8']],
    [match('ohare'), ['t1', 't4']],
    [match('chicago ohare'), []],
    [match('obrien'), ['t3', 't6']],
    [interval({ type: 'prefixOnLastToken', query: 'obr' }), ['t3', 't6']],
    [interval({ type: 'fuzzy', term: 'obrein' }), ['t3', 't6']],
    [interval({ type: 'fuzzy', term: '東京' }), ['t5']],
    [interval({ type: 'fuzzy', term: '京', fuzziness: 2 }), ['t5']],
    [fuzzy('東京'), ['t5']],
    [fuzzy('京都 tuor'), []],
    [fuzzy('京都 tourx'), ['t5']],
  ])('%j finds %j', async (where, keys) => {
    const found = await search({ where })
    expect(found.status).toBe(200)
    expect(keysOf(found)).toEqual(keys)
  })
})

describe('where: bad input', () => {
  const box = (topLeft: object, bottomRight: object) => ({ topLeft, bottomRight })
  const ringOf = (...positions: number[][]) => ({ type: 'Polygon', coordinates: [positions] })
  const concave = ringOf([0, 0], [4, 0], [1, 1], [0, 4], [0, 0])
  const near = (distance: object) => ({
    type: 'withinDistanceOf',
    field: 'spot',
    value: { center: point(0, 0), distance },
  })
  const interval = (rule: unknown) => ({ type: 'interval', field: 'name', rule })

  it.each([
    [{ type: 'regex', field: 'name', value: 'a(?=b)' }, 'InvalidFilterValue', '(?='],
    [{ type: 'regex', field: 'name', value: '(a)\\1' }, 'InvalidFilterValue', '\\\\1'],
    [{ type: 'regex', field: 'name', value: '(((a{99}){99}){99})' }, 'InvalidFilterValue', '1000'],
    [{ type: 'regex', field: 'seats', value: '1' }, 'PropertyTypesSearchNotSupported', 'seats'],
    [{ type: 'regex', field: 'name', value: 7 }, 'Conjure:UnprocessableEntity', 'where.value'],
    [{ type: 'wildcard', field: 'name', value: 'a\\' }, 'InvalidFilterValue', 'wildcard'],
    [{ type: 'wildcard', field: 'nmae', value: 'a' }, 'PropertiesNotFound', 'nmae'],
    [
      dates({ relativeStartTime: relative(0), timeZoneId: 'Europe/Atlantis' }),
      'InvalidTimeZone',
      'Europe/Atlantis',
    ],
    [dates({}), 'Conjure:UnprocessableEntity', 'neither'],
    [dates({ relativeStartTime: relative(0.5) }), 'Conjure:UnprocessableEntity', 'value'],
    [dates({ relativeStartTime: relative(1001, 'YEAR') }), 'Conjure:UnprocessableEntity', '1000'],
    [dates({ relativeEndTime: relative(1, 'HOUR') }), 'Conjure:UnprocessableEntity', 'timeUnit'],
    [dates({ relativeEndTime: { type: 'point' } }), 'Conjure:UnprocessableEntity', 'EndTime'],
    [
      dates({ relativeStartTime: relative(0), field: 'days' }),
      'PropertyTypesSearchNotSupported',
      'days',
    ],
    [interval(undefined), 'Conjure:UnprocessableEntity', 'where.rule'],
    [interval({ type: 'anyOf', rules: [] }), 'Conjure:UnprocessableEntity', 'where.rule.rules'],
    [interval({ type: 'match', query: 'a', ordered: 1 }), 'Conjure:UnprocessableEntity', 'ordered'],
    [
      interval({ type: 'match', query: 'a', ordered: true, maxGaps: -1 }),
      'Conjure:UnprocessableEntity',
      'maxGaps',
    ],
    [interval({ type: 'fuzzy', term: 'a b' }), 'Conjure:UnprocessableEntity', 'one term'],
    [
      interval({ type: 'fuzzy', term: 'abc', fuzziness: 3 }),
      'Conjure:UnprocessableEntity',
      'fuzziness',
    ],
    [interval({ type: 'wildcard' }), 'Conjure:UnprocessableEntity', 'where.rule.type'],
    [
      { type: 'withinBoundingBox', field: 'spot', value: box(point(0, 0), point(1, 1)) },
      'InvalidFilterValue',
      'top below its bottom',
    ],
    [
      { type: 'withinBoundingBox', field: 'spot', value: box(point(0, 91), point(1, 1)) },
      'InvalidFilterValue',
      'latitude',
    ],
    [
      {
        type: 'withinBoundingBox',
        field: 'name',
        value: box(point(0, 1), point(1, 0)),
      },
      'PropertyTypesSearchNotSupported',
      'name',
    ],
    [
      { type: 'withinPolygon', field: 'spot', value: ringOf([0, 0], [1, 0], [1, 1]) },
      'InvalidFilterValue',
      'at least 4',
    ],
    [
      { type: 'withinPolygon', field: 'spot', value: point(0, 0) },
      'InvalidFilterValue',
      'not a Polygon',
    ],
    [
      { type: 'withinPolygon', field: 'area', value: concave },
      'PropertyTypesSearchNotSupported',
      'area',
    ],
    [near({ value: 1, unit: 'LEAGUES' }), 'UnknownDistanceUnit', 'NAUTICAL_MILES'],
    [near({ value: -1, unit: 'METERS' }), 'Conjure:UnprocessableEntity', 'distance.value'],
    [
      { ...near({ value: 1, unit: 'METERS' }), field: 'area' },
      'PropertyTypesSearchNotSupported',
      'area',
    ],
    [
      {
        type: 'geoShapeV2',
        field: 'area',
        geometry: { type: 'geoJson', geoJson: '{' },
        spatialFilterMode: 'INTERSECTS',
      },
      'InvalidFilterValue',
      'not JSON',
    ],
    [
      {
        type: 'geoShapeV2',
        field: 'area',
        geometry: { type: 'geoJson', geoJson: JSON.stringify(concave) },
        spatialFilterMode: 'CONTAINS',
      },
      'PropertyTypesSearchNotSupported',
      'geoShapeV2 CONTAINS',
    ],
    [
      {
        type: 'geoShapeV2',
        field: 'area',
        geometry: { type: 'envelope', ...box(point(0, 1), point(1, 0)) },
        spatialFilterMode: 'NEAR',
      },
      'Conjure:UnprocessableEntity',
      'spatialFilterMode',
    ],
  ])('%j is refused', async (where, errorName, part) => {
    const response = await search({ where })
    expect(response.body).toMatchObject({ errorName })
    expect(response.text).toContain(part)
    expect([400, 404, 422]).toContain(response.status)
  })
})
