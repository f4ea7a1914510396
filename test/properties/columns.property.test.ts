/** Random types, data and queries: columns find the same objects as the model, as of any version. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  QUERY_MAX_DEPTH,
  QUERY_MAX_TERMS,
  QUERY_MAX_TEXT_LENGTH,
} from '../../src/contract/limits.ts'
import { parseDefinition } from '../../src/ontology/definition/parse-definition.ts'
import type { ObjectType } from '../../src/ontology/ontology.ts'
import {
  objectReader,
  readObjectKey,
  type StoredObject,
} from '../../src/ontology/values/read-object.ts'
import { fieldKey } from '../../src/ontology/values/searchable-values.ts'
import { checkOrder } from '../../src/query/parse/order.ts'
import { parseQuery } from '../../src/query/parse/parse-query.ts'
import { parsePropertyFilters } from '../../src/query/parse/property-filters.ts'
import { QueryBudget } from '../../src/query/parse/query-budget.ts'
import { REVISION_1_QUERIES } from '../../src/query/parse/revision-1-query-types.ts'
import { REVISION_2_QUERIES } from '../../src/query/parse/revision-2-query-types.ts'
import { V2_QUERIES } from '../../src/query/parse/v2-query-types.ts'
import type { Query } from '../../src/query/query.ts'
import { compileFilter } from '../../src/store/columns/filter/compile-filter.ts'
import { findPage } from '../../src/store/columns/page/find-page.ts'
import type { FieldValue } from '../../src/store/columns/segment/build-column.ts'
import { SegmentBuilder, type SegmentRow } from '../../src/store/columns/segment/build-segment.ts'
import type { ColumnSpec } from '../../src/store/columns/segment/column.ts'
import { columnSpecs } from '../../src/store/columns/segment/column-specs.ts'
import { type Closings, Segment } from '../../src/store/columns/segment/segment.ts'
import { patternTest } from '../../src/store/sqlite/queries/matchers.ts'
import { fcOptions } from '../support/fc-options.ts'
import { type GeneratedType, type History, histories } from '../support/query-arbitraries.ts'
import {
  evaluate,
  type Properties,
  type RequestCondition,
  refusalOf,
} from '../support/query-model.ts'
import { type Request, requests } from '../support/query-requests.ts'

const CASES_PER_HISTORY = 30

interface Case extends Request {
  readonly version: number
  readonly size: number
}

const groups = histories().chain((history) =>
  fc
    .array(
      fc
        .record({
          request: requests(history.type),
          version: fc.nat(5),
          size: fc.integer({ min: 1, max: 9 }),
        })
        .map(({ request, ...rest }): Case => ({ ...request, ...rest })),
      { minLength: CASES_PER_HISTORY, maxLength: CASES_PER_HISTORY },
    )
    .map((cases) => ({ ...history, cases })),
)

let answered = 0
let asked = 0

const { numRuns, ...seed } = fcOptions(1500, 300)

it('columns find the objects that the model finds', { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(fc.noShrink(groups), ({ type, commits, cases }) => {
      const world = replay(type, commits)
      for (const how of cases) check(world, type, how)
    }),
    { ...seed, numRuns: Math.max(1, Math.ceil(numRuns / CASES_PER_HISTORY)) },
  )
  // Most queries are answered; shapes, intervals and ids are not.
  expect(answered / asked).toBeGreaterThan(0.6)
})

interface Row {
  readonly stored: StoredObject
  readonly row: number
  readonly from: number
  to: number
}

interface World {
  readonly objectType: ObjectType
  readonly versions: readonly ReadonlyMap<string, Properties>[]
  readonly segments: readonly Segment[]
  readonly closings: readonly Closings[]
  readonly rows: readonly Row[]
}

/** The first commit fills the first segment; all others add one segment each. */
function replay({ definition }: GeneratedType, commits: History['commits']): World {
  const ontology = { apiName: 'world', objectTypes: [{ apiName: 'thing', ...definition }] }
  const objectType = parseDefinition(ontology as never).objectTypes.get('thing')
  if (objectType === undefined) throw new Error('no type')
  const read = objectReader(objectType)
  const rows: Row[] = []
  const current = new Map<string, Row>()
  const objects = new Map<string, Properties>()
  const versions: ReadonlyMap<string, Properties>[] = []
  commits.forEach((changes, index) => {
    const version = index + 1
    for (const change of changes) {
      const pk = 'put' in change ? read(change.put).pk : readObjectKey(objectType, change.delete).pk
      const before = current.get(pk)
      if (before !== undefined) before.to = version
      current.delete(pk)
      objects.delete(String(change.key))
      if (!('put' in change)) continue
      const row: Row = {
        stored: read(change.put),
        row: rows.length + 1,
        from: version,
        to: Infinity,
      }
      rows.push(row)
      current.set(pk, row)
      objects.set(String(change.key), change.kept)
    }
    versions.push(new Map(objects))
  })
  const specs = columnSpecs(objectType)
  const byCommit = commits.map((_, index) =>
    rows
      .filter(({ from, to }) => from === index + 1 && to > from)
      .sort((a, b) => Buffer.compare(Buffer.from(a.stored.pk), Buffer.from(b.stored.pk))),
  )
  const first = byCommit[0] ?? []
  const segments = byCommit.map((list, index) =>
    build(specs, list, index === 0 ? undefined : first),
  )
  const closings = byCommit.map((list): Closings => {
    const closed = list
      .map(({ to }, position) => ({ to, position }))
      .filter(({ to }) => to !== Infinity)
      .sort((a, b) => a.to - b.to)
    return {
      positions: Uint32Array.from(closed, ({ position }) => position),
      versions: Float64Array.from(closed, ({ to }) => to),
    }
  })
  return { objectType, versions, segments, closings, rows }
}

function build(
  specs: readonly ColumnSpec[],
  rows: readonly Row[],
  first: readonly Row[] | undefined,
): Segment {
  const builder = new SegmentBuilder(specs, {
    kind: first === undefined ? 'objects' : 'added',
    rows: rows.length,
  })
  for (const { stored, row, from } of rows) {
    const rank = first?.filter((one) => isBefore(one.stored.pk, stored.pk)).length ?? 0
    const values = specs.map((spec) => fieldValue(spec, stored))
    const added: SegmentRow['added'] = first === undefined ? undefined : { version: from, rank }
    builder.add({ row, key: stored.pk, values, added })
  }
  const { buffer, place } = builder.finish()
  return new Segment(buffer, place)
}

function isBefore(a: string, b: string): boolean {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
}

function fieldValue(spec: ColumnSpec, { searchable, body }: StoredObject): FieldValue {
  const key = fieldKey(spec)
  if (spec.type === 'geopoint') {
    const properties = new Map(Object.entries(JSON.parse(body) as Record<string, unknown>))
    const point = properties.get(spec.property) as { coordinates: [number, number] } | undefined
    return point && { longitude: point.coordinates[0], latitude: point.coordinates[1] }
  }
  if (!spec.isList) return searchable.columns.get(key)
  const elements = searchable.elements.find((one) => fieldKey(one) === key)?.values
  return elements ?? (searchable.columns.has(spec.property) ? [] : undefined)
}

const limits = {
  maxDepth: QUERY_MAX_DEPTH,
  maxTerms: QUERY_MAX_TERMS,
  maxTextLength: QUERY_MAX_TEXT_LENGTH,
}

const GRAMMARS = {
  'search 1.0': REVISION_1_QUERIES,
  'search 2.0': REVISION_2_QUERIES,
  where: V2_QUERIES,
} as const

function toQuery(condition: RequestCondition, objectType: ObjectType): Query {
  if (condition.as === 'listing') {
    return parsePropertyFilters(condition.filters, objectType, new QueryBudget(limits))
  }
  return parseQuery(GRAMMARS[condition.as], condition.query, { objectType, limits })
}

function check(world: World, type: GeneratedType, how: Case): void {
  const { objectType, versions, segments, closings, rows } = world
  if (refusalOf(type.model, how.condition) !== undefined) return
  const number = (how.version % versions.length) + 1
  const objects = versions[number - 1] ?? new Map<string, Properties>()
  const query = toQuery(how.condition, objectType)
  const order = checkOrder(
    how.order.map(({ property, direction, nulls }) => ({
      property,
      direction,
      nulls: nulls === 'first' ? 'nullsFirst' : 'nullsLast',
    })),
    objectType,
  )
  asked += 1
  const filters = compileFilter(query, {
    objectType,
    segments,
    patternTest: ({ pattern }) => patternTest(pattern),
    linkedValues: () => undefined,
    foundRows: () => undefined,
  })
  if (filters === undefined) return
  const filtered = segments.map((segment, at) => ({
    segment,
    visible: segment.visibleAt(number, closings[at] as Closings),
    filter: filters[at] as NonNullable<(typeof filters)[number]>,
  }))
  const expected = evaluate(type.model, objects.values(), how.condition, how.order)
  const keyOf = (row: number) => rows[row - 1]?.stored.pk ?? ''
  const found: number[] = []
  for (let isDone = false; !isDone; ) {
    const last = rows[(found.at(-1) ?? 0) - 1]
    const cursor = last && {
      key: last.stored.pk,
      values: order.map(({ property, structField }) =>
        last.stored.searchable.columns.get(fieldKey({ property, structField })),
      ),
    }
    const needsCount = cursor === undefined
    const page = findPage(filtered, {
      order,
      cursor,
      limit: how.size,
      needsCount,
      keyOf,
      onChunk: () => undefined,
    })
    if (page === undefined) return
    if (needsCount) expect(page.totalCount).toBe(expected.length)
    found.push(...page.rows)
    if (found.length > expected.length + 20) break
    isDone = page.rows.length < how.size
  }
  answered += 1
  const bodies = found.map((row) => JSON.parse(rows[row - 1]?.stored.body ?? 'null') as unknown)
  expect(bodies, JSON.stringify({ how, number })).toEqual(expected)
}
