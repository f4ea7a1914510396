/** Random types, data and queries: columns find the same objects as the model, as of any version. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseDefinition } from '../../src/ontology/definition/parse-definition.ts'
import type { ObjectType } from '../../src/ontology/ontology.ts'
import {
  objectReader,
  readObjectKey,
  type StoredObject,
} from '../../src/ontology/values/read-object.ts'
import { compileFilter } from '../../src/store/columns/filter/compile-filter.ts'
import {
  cursorAt,
  findPage,
  findSetPage,
  setCursorAt,
} from '../../src/store/columns/page/find-page.ts'
import type { MergedRow } from '../../src/store/columns/page/merge-rows.ts'
import { SegmentBuilder } from '../../src/store/columns/segment/build-segment.ts'
import type { ColumnSpec } from '../../src/store/columns/segment/column.ts'
import { columnSpecs } from '../../src/store/columns/segment/column-specs.ts'
import { type Closings, Segment } from '../../src/store/columns/segment/segment.ts'
import { patternTest } from '../../src/store/sql/compile/pattern-test.ts'
import { fcOptions } from '../support/fc-options.ts'
import { fieldValue } from '../support/field-value.ts'
import { type GeneratedType, type History, histories } from '../support/query-arbitraries.ts'
import {
  compareObjects,
  evaluate,
  isMatch,
  type Properties,
  refusalOf,
} from '../support/query-model.ts'
import { type Request, requests } from '../support/query-requests.ts'
import { toOrder, toQuery } from '../support/to-query.ts'

const CASES_PER_HISTORY = 30

interface Case extends Request {
  readonly version: number
  readonly size: number
  /** The version of the second part of a page over two parts. */
  readonly otherVersion: number
  /** Whether the second part lacks the property of the first order term. */
  readonly isLacking: boolean
}

const groups = histories().chain((history) =>
  fc
    .array(
      fc
        .record({
          request: requests(history.type),
          version: fc.nat(5),
          size: fc.integer({ min: 1, max: 9 }),
          otherVersion: fc.nat(5),
          isLacking: fc.boolean(),
        })
        .map(({ request, ...rest }): Case => ({ ...request, ...rest })),
      { minLength: CASES_PER_HISTORY, maxLength: CASES_PER_HISTORY },
    )
    .chain((cases) =>
      fc
        .record({ isOne: fc.boolean(), maxTextLength: fc.constantFrom(10_000, 20, 0) })
        .map((how) => ({ ...history, cases, how })),
    ),
)

let answered = 0
let asked = 0

const { numRuns, ...seed } = fcOptions(1500, 300)

it('columns find the objects that the model finds', { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(fc.noShrink(groups), ({ type, commits, cases, how: built }) => {
      const world = replay(type, commits, built)
      for (const how of cases) {
        const filters = filtersOf(world, type, how)
        if (filters === undefined) continue
        checkPages(world, type, how, filters)
        checkSetPages(world, type, how, filters)
      }
    }),
    { ...seed, numRuns: Math.max(1, Math.ceil(numRuns / CASES_PER_HISTORY)) },
  )
  // Most queries are answered; shapes and ids are not.
  expect(answered / asked).toBeGreaterThan(0.4)
})

interface Row {
  readonly stored: StoredObject
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

/** The first commit fills the first segment; all others add one segment each, or one together. */
function replay(
  { definition }: GeneratedType,
  commits: History['commits'],
  { isOne, maxTextLength }: { readonly isOne: boolean; readonly maxTextLength: number },
): World {
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
      const row: Row = { stored: read(change.put), from: version, to: Infinity }
      rows.push(row)
      current.set(pk, row)
      objects.set(String(change.key), change.kept)
    }
    versions.push(new Map(objects))
  })
  const specs = columnSpecs(objectType)
  const bySegment = Map.groupBy(
    rows.filter(({ from, to }) => to > from).sort((a, b) => byKey(a, b) || a.from - b.from),
    ({ from }) => (isOne ? Math.min(from, 2) : from),
  )
  const lists = [...bySegment.values()]
  const segments = lists.map((list) => build(specs, list, maxTextLength))
  return { objectType, versions, segments, closings: lists.map(closingsOf(segments)), rows }
}

function byKey(a: Row, b: Row): number {
  return Buffer.compare(Buffer.from(a.stored.pk), Buffer.from(b.stored.pk))
}

function closingsOf(segments: readonly Segment[]): (rows: readonly Row[], at: number) => Closings {
  return (rows, at) => {
    const closed = rows.filter(({ to }) => to !== Infinity).sort((a, b) => a.to - b.to)
    const positions = closed.map(({ stored, from }) => segments[at]?.find(stored.pk, from))
    return {
      positions: Uint32Array.from(positions, (position) => position ?? Number.NaN),
      versions: Float64Array.from(closed, ({ to }) => to),
    }
  }
}

function build(specs: readonly ColumnSpec[], rows: readonly Row[], maxTextLength: number): Segment {
  const builder = new SegmentBuilder(specs, { kind: 'rows', rows: rows.length, maxTextLength })
  for (const { stored, from } of rows) {
    const values = specs.map((spec) => fieldValue(spec, stored))
    builder.add({ key: stored.pk, validFrom: from, values })
  }
  const { buffer, place } = builder.finish()
  return new Segment(buffer, place)
}

type Filters = NonNullable<ReturnType<typeof compileFilter>>

function filtersOf(world: World, type: GeneratedType, how: Case): Filters | undefined {
  if (refusalOf(type.model, how.condition) !== undefined) return undefined
  asked += 1
  const { objectType, segments } = world
  const filters = compileFilter(toQuery(how.condition, objectType), {
    objectType,
    segments,
    patternTest: ({ pattern }) => patternTest(pattern),
    linkedValues: () => undefined,
  })
  if (filters !== undefined) answered += 1
  return filters
}

/** The segments as of a version, which is counted modulo the versions there are. */
function asOf({ versions, segments, closings, rows }: World, filters: Filters, at: number) {
  const number = (at % versions.length) + 1
  const visible = rows.filter(({ from, to }) => from <= number && number < to)
  return {
    objects: [...(versions[number - 1] ?? new Map<string, Properties>()).values()],
    byKey: new Map(visible.map((row) => [row.stored.pk, row])),
    filtered: segments.map((segment, index) => ({
      segment,
      visible: segment.visibleAt(number, closings[index] as Closings),
      filter: filters[index] as Filters[number],
    })),
  }
}

/** Reads pages until one is not full, each after the last row of the one before. */
function walk<R>(
  pageAfter: (
    last: R | undefined,
  ) => { readonly rows: readonly R[]; readonly totalCount: number | undefined } | undefined,
  size: number,
  expectedCount: number,
): readonly R[] | undefined {
  const found: R[] = []
  for (;;) {
    const last = found.at(-1)
    const page = pageAfter(last)
    if (page === undefined) return undefined
    expect(page.totalCount).toBe(last === undefined ? expectedCount : undefined)
    found.push(...page.rows)
    if (page.rows.length < size || found.length > expectedCount + 20) return found
  }
}

function checkPages(world: World, type: GeneratedType, how: Case, filters: Filters): void {
  const { objects, byKey: rowOf, filtered } = asOf(world, filters, how.version)
  const expected = evaluate(type.model, objects, how.condition, how.order)
  const order = toOrder(how.order, world.objectType)
  const rowWith = (key: string) => rowOf.get(key) as Row
  const found = walk<string>(
    (last) => {
      const row = last === undefined ? undefined : { key: last, validFrom: rowWith(last).from }
      const cursor = row && cursorAt(world.segments, order, row)
      if (row !== undefined) expect(cursor).toBeDefined()
      const needsCount = last === undefined
      const page = findPage(filtered, { order, cursor, limit: how.size, needsCount, onChunk })
      return page && { rows: page.keys, totalCount: page.totalCount }
    },
    how.size,
    expected.length,
  )
  const bodies = found?.map((key) => JSON.parse(rowWith(key).stored.body) as unknown)
  if (bodies !== undefined) expect(bodies, JSON.stringify(how)).toEqual(expected)
}

const onChunk = () => undefined

/** Two versions of the type are the parts of a set, and have the same keys. */
function checkSetPages(world: World, type: GeneratedType, how: Case, filters: Filters): void {
  const parts = [how.version, how.otherVersion].map((version) => asOf(world, filters, version))
  const isLacking = ({ part, index }: { part: number; index: number }) =>
    how.isLacking && part === 1 && index === 0
  const order = toOrder(how.order, world.objectType).map(({ property, ...term }, index) => ({
    ...term,
    properties: parts.map((_, part) => (isLacking({ part, index }) ? undefined : property)),
  }))
  const shown = ({ part, object }: { part: number; object: Properties }) => {
    const lacking = how.order.filter((_, index) => isLacking({ part, index }))
    const names = new Set(lacking.map(({ property }) => property))
    return Object.fromEntries(Object.entries(object).filter(([name]) => !names.has(name)))
  }
  const keySign = how.order.at(-1)?.direction === 'desc' ? -1 : 1
  const keyless = { ...type.model, primaryKey: '' }
  const expected = parts
    .flatMap(({ objects }, part) => objects.map((object) => ({ part, object })))
    .filter(({ object }) => isMatch(type.model, object, how.condition))
    .sort(
      (a, b) =>
        compareObjects(keyless, how.order, shown(a), shown(b)) ||
        a.part - b.part ||
        keySign * compareObjects(type.model, [], a.object, b.object),
    )
  const rowWith = ({ part, key }: MergedRow) => parts[part]?.byKey.get(key) as Row
  const found = walk<MergedRow>(
    (last) => {
      const segments = parts.map(() => world.segments)
      const cursor =
        last && setCursorAt(segments, order, { ...last, validFrom: rowWith(last).from })
      if (last !== undefined) expect(cursor).toBeDefined()
      return findSetPage(
        parts.map(({ filtered }) => filtered),
        { order, cursor, limit: how.size, needsCount: last === undefined, onChunk },
      )
    },
    how.size,
    expected.length,
  )
  const bodies = found?.map((row) => {
    const object = JSON.parse(rowWith(row).stored.body) as unknown
    return { part: row.part, object }
  })
  if (bodies !== undefined) expect(bodies, JSON.stringify(how)).toEqual(expected)
}
