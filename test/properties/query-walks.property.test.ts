/**
 * Random queries over HTTP, through every endpoint, with random commits between the pages. A page of
 * a default walk must match the model at the time of the page; a page of a snapshot walk must match
 * the model at the start of the walk.
 */

import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fcOptions } from '../support/fc-options.ts'
import { defineFreshType } from '../support/fresh-type.ts'
import {
  type GeneratedType,
  type History,
  historiesWithMore,
  PROPERTY_NAMES,
} from '../support/query-arbitraries.ts'
import {
  compareObjects,
  evaluate,
  isMatch,
  own,
  type Properties,
  refusalOf,
  select,
} from '../support/query-model.ts'
import { explainFailure, type Failing, failureOf } from '../support/query-reduce.ts'
import {
  listings,
  orders,
  type Request,
  searches1,
  searches2,
  selections,
} from '../support/query-requests.ts'
import { type Service, startService, type TestResponse } from '../support/service.ts'
import type { Page } from '../support/walk.ts'

interface Case extends Request {
  readonly snapshot: boolean
  readonly sizes: readonly number[]
  /** True for a selection in one parameter with commas; false for one parameter per name. */
  readonly commas: boolean
}

function cases(type: GeneratedType): fc.Arbitrary<Case> {
  const how = {
    snapshot: fc.boolean(),
    sizes: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
    commas: fc.boolean(),
  }
  const [order, selection] = [orders(type), selections(type)]
  return fc.oneof(
    fc.record({ condition: searches1(type), order, selection, ...how }),
    fc.record({ condition: listings(type), order, selection, ...how }),
    // Revision 2.0 has neither an order nor a selection.
    fc.record({
      condition: searches2(type),
      order: fc.constant([]),
      selection: fc.constant([]),
      ...how,
    }),
  )
}

interface Walk extends Failing<Case> {
  readonly type: GeneratedType
}

/** The first commit precedes the walk, the others happen between its pages. */
const walks: fc.Arbitrary<Walk> = historiesWithMore(PROPERTY_NAMES, 8).chain(
  ({ type, commits, more }) =>
    cases(type).map((how) => ({
      type,
      commits: [...commits, ...more],
      how,
      [fc.toStringMethod]: () => 'see the cause',
    })),
)

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

const { numRuns, ...seed } = fcOptions(50, 25)

it('[2.1.1] [2.1.2] [4.5.1] [4.5.2] walks return every match once while data changes', {
  timeout: 600_000 + numRuns * 500,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.noShrink(walks), async (walk) => {
      const failure = await failureOf(() => checkWalk(walk))
      if (failure === undefined) return
      const again = (smaller: Failing<Case>) => checkWalk({ ...walk, ...smaller })
      throw await explainFailure(walk.type, walk, PLAIN, failure, again)
    }),
    { ...seed, numRuns },
  )
})

/** The simplest case, towards which failures shrink. */
const PLAIN: Partial<Case> = { snapshot: false, commas: true }

type Objects = ReadonlyMap<string, Properties>

async function checkWalk({ type, commits, how }: Walk): Promise<void> {
  const { model } = type
  const { condition, order, selection, snapshot } = how
  const apiName = await defineFreshType(service, type)
  const [first = [], ...between] = commits
  let objects = await write(apiName, first, new Map())
  const atStart = objects
  const touched = new Set<string>()
  const seen: string[] = []
  let last: Properties | undefined
  let total: number | undefined
  let pageToken: string | undefined
  let pages = 0

  do {
    const pageSize = how.sizes[pages % how.sizes.length] ?? 1
    const reply = await requestPage(apiName, how, pageSize, pageToken)
    if (refusalOf(model, condition) !== undefined) {
      expect(reply.body).toMatchObject({ errorName: refusalOf(model, condition) })
      return
    }
    const page = pageOf(reply)
    const visible = snapshot ? atStart : objects
    const all = evaluate(model, visible.values(), condition, order)
    const cursor = last
    const rest = all.filter(
      (object) => cursor === undefined || compareObjects(model, order, object, cursor) > 0,
    )
    const expected = rest.slice(0, pageSize)
    const actual = page.data.map((record) => record.properties)
    const selected = expected.map((object) => select(model, object, selection))
    if (!isDeepStrictEqual(actual, selected)) {
      expect(actual, `page ${pages + 1}`).toEqual(selected)
    }
    expect(page.nextPageToken !== undefined).toBe(rest.length > expected.length)
    if (page.nextPageToken !== undefined) expect(actual).not.toEqual([])
    // A filtered count is taken once per walk; an unfiltered one is current.
    total =
      condition.as === 'listing' && condition.filters.length === 0
        ? all.length
        : (total ?? all.length)
    expect(page.totalCount).toBe(condition.as === 'search 2.0' ? undefined : String(total))

    seen.push(...expected.map((object) => keyOf(type, object)))
    last = expected.at(-1)
    pageToken = page.nextPageToken
    const changes = between[pages] ?? []
    objects = await write(apiName, changes, objects)
    for (const { key } of changes) touched.add(String(key))
    pages += 1
  } while (pageToken !== undefined)

  // Each match that no commit touched was returned exactly once.
  expect(new Set(snapshot ? seen : seen.filter((key) => !touched.has(key))).size).toBe(
    snapshot ? seen.length : seen.filter((key) => !touched.has(key)).length,
  )
  for (const [key, object] of atStart) {
    if (touched.has(key) && !snapshot) continue
    expect(seen.includes(key), key).toBe(isMatch(model, object, condition))
  }
}

function keyOf({ model }: GeneratedType, object: Properties): string {
  return String(own(object, model.primaryKey))
}

function pageOf({ status, body, text }: TestResponse): Page {
  expect(status, text).toBe(200)
  return body as Page
}

async function write(
  apiName: string,
  changes: History['commits'][number],
  before: Objects,
): Promise<Objects> {
  const lines = changes.map((change) =>
    'put' in change ? { put: change.put } : { delete: change.delete },
  )
  const written = await service.write(apiName, apiName, lines)
  expect(written.status, written.text).toBe(200)
  const objects = new Map(before)
  for (const change of changes) {
    if ('put' in change) objects.set(String(change.key), change.kept)
    else objects.delete(String(change.key))
  }
  return objects
}

function requestPage(
  apiName: string,
  how: Case,
  pageSize: number,
  pageToken: string | undefined,
): Promise<TestResponse> {
  const { condition, order, selection, snapshot, commas } = how
  const paging = { pageSize, pageToken, snapshot }
  const objects = `/api/v1/ontologies/${apiName}/objects/${apiName}`
  if (condition.as === 'search 2.0') {
    return service.send(`/api/${apiName}/v1/objects/types/${apiName}/search`, {
      json: { query: condition.query, ...paging },
    })
  }
  if (condition.as === 'search 1.0') {
    // Defaults can be omitted.
    const fields = order.map(({ property, direction, nulls }) => ({
      field: `properties.${property}`,
      ...(direction === 'asc' && commas ? {} : { direction }),
      ...(nulls === 'last' && commas ? {} : { nulls }),
    }))
    const json = { query: condition.query, orderBy: { fields }, fields: selection, ...paging }
    return service.send(`${objects}/search`, { json })
  }
  if (condition.as === 'where') throw new Error('these endpoints have no where')
  const parameters = new URLSearchParams()
  for (const [name, value] of condition.filters) parameters.append(name, value)
  parameters.set('pageSize', String(pageSize))
  if (pageToken !== undefined) parameters.set('pageToken', pageToken)
  if (snapshot) parameters.set('snapshot', 'true')
  if (order.length > 0) parameters.set('orderBy', order.map(orderText).join(','))
  const shown = commas && selection.length > 0 ? [selection.join(',')] : selection
  for (const names of shown) parameters.append('properties', names)
  return service.send(`${objects}?${parameters}`)
}

function orderText({ property, direction, nulls }: Request['order'][number]): string {
  if (nulls === 'first') return `p.${property}:${direction}:nullsFirst`
  return direction === 'asc' ? `properties.${property}` : `p.${property}:desc`
}
