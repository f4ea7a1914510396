import { describe, expect, it } from 'vitest'
import { pageRequest } from '../../../../test/support/store-fixture.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Comparison, Query } from '../../../query/query.ts'
import type { ReadPageRequest } from '../../object-store.ts'
import { ALL_INDEXED } from '../../sql/compile/field-numbers.ts'
import type { TableHead } from '../catalogue/type-head.ts'
import { type PlanSite, planPage } from './plan-page.ts'

const TYPE = {
  apiName: 'thing',
  properties: new Map(
    Object.entries({
      a: { apiName: 'a', type: { kind: 'scalar' } },
      tags: { apiName: 'tags', type: { kind: 'array' } },
    }),
  ),
} as unknown as ObjectType

const TABLE: TableHead = {
  table: 1,
  firstVersion: 1,
  loadedAs: 1,
  liveCount: 1_000_000,
  maxRecordBytes: 100,
  isCreated: true,
  closedCount: 0,
  stagedCount: undefined,
  layout: { ...ALL_INDEXED, indexedVersion: 1 },
}
const LATEST = { version: 9, isLatest: true, table: TABLE }
const READER: PlanSite = { thread: 'reader' }

/** The main thread of a store with these figures; looking up any other figure fails. */
function mainThread(
  figures: { rowsAfter?: number; rowVersions?: number; candidates?: number; near?: number } = {},
): PlanSite {
  const figure = (value: number | undefined) => {
    if (value === undefined) throw new Error('looked up a figure that the plan does not need')
    return value
  }
  return {
    thread: 'main',
    statistics: () => ({
      countRowsAfter: () => figure(figures.rowsAfter),
      countRowVersions: (limit) => Math.min(limit, figure(figures.rowVersions)),
      countCandidates: (_, limit) => Math.min(limit, figure(figures.candidates)),
      countNear: (_, limit) => Math.min(limit, figure(figures.near)),
    }),
  }
}

const compare = (operator: Comparison, property = 'a'): Query => ({
  kind: 'compare',
  field: { property, structField: undefined },
  operator,
  value: 1,
})
const text: Query = { kind: 'text', field: undefined, match: 'anyTerm', terms: ['x'], fuzzy: false }
const field = (property: string) => ({ property, structField: undefined })
const interval: Query = {
  kind: 'interval',
  field: field('a'),
  rule: { kind: 'prefix', terms: ['x'] },
}
const geo = (relation: 'within' | 'disjoint'): Query => ({
  kind: 'geo',
  field: field('a'),
  relation,
  area: { kind: 'shape', members: [] },
})
const pattern = (property: string): Query => ({
  kind: 'pattern',
  field: field(property),
  pattern: { kind: 'literal', text: 'x' },
})
const ids: Query = { kind: 'objectIds', ids: ['x'] }
const linked: Query = {
  kind: 'linked',
  property: 'a',
  linkedType: TYPE,
  linkedProperty: 'a',
  of: { kind: 'everything' },
}
const oneOf = (count: number, property = 'a'): Query => ({
  kind: 'oneOf',
  field: { property, structField: undefined },
  values: Array.from({ length: count }, (_, n) => n),
})
const and = (...of: Query[]): Query => ({ kind: 'and', of })
const or = (...of: Query[]): Query => ({ kind: 'or', of })
const not = (of: Query): Query => ({ kind: 'not', of })
const order = [{ property: 'a', direction: 'asc', nulls: 'last' }] as const
const after = { pk: 'k', version: 0 }

function request(options: Partial<ReadPageRequest> = {}): ReadPageRequest {
  return pageRequest(TYPE, { includeTotalCount: false, maxObjects: 100, ...options })
}

describe('the rows of a page', () => {
  const sorted = { kind: 'sortFewMatches', fewMatches: 10_000, matchEstimate: undefined }
  const lookedUp = { ...sorted, fewMatches: Infinity }
  const walked = { kind: 'indexWalk' }

  it.each<[string, Partial<ReadPageRequest>, object]>([
    ['every object', {}, { kind: 'keyWalk' }],
    ['every object, later', { after }, { kind: 'keyWalk' }],
    ['every object, ordered', { order }, walked],
    ['an equality', { query: compare('eq') }, { kind: 'valueWalk', equality: compare('eq') }],
    ['an equality, later', { query: compare('eq'), after }, { kind: 'valueWalk' }],
    ['an equality, counted', { query: compare('eq'), includeTotalCount: true }, walked],
    ['an equality, ordered', { query: compare('eq'), order }, walked],
    ['an array element', { query: compare('eq', 'tags') }, walked],
    ['an equality and a range', { query: and(compare('eq'), compare('gt')) }, walked],
    ['a range', { query: compare('gt') }, sorted],
    ['a range, ordered', { query: compare('gt'), order }, walked],
    ['an alternative of equalities', { query: or(compare('eq'), compare('eq')), after }, sorted],
    [
      'an alternative of equalities, and a range',
      { query: and(compare('gt'), or(compare('eq'), compare('eq'))) },
      sorted,
    ],
    ['several values', { query: oneOf(8) }, sorted],
    ['values of an array, later', { query: oneOf(2, 'tags'), after }, walked],
    ['an alternative of equalities, ordered', { query: oneOf(2), order }, walked],
    ['an equality or a range', { query: or(compare('eq'), compare('gt')) }, sorted],
    ['ids', { query: ids }, lookedUp],
    ['ids, later', { query: ids, after }, lookedUp],
    ['ids and a range', { query: and(ids, compare('gt')) }, lookedUp],
    ['ids and an equality', { query: and(ids, compare('eq')) }, walked],
    ['ids or a range', { query: or(ids, compare('gt')) }, sorted],
    ['excluded ids', { query: not(ids) }, walked],
    ['linked objects', { query: linked }, sorted],
    ['linked objects, later', { query: linked, after }, sorted],
    [
      'few linked objects, later',
      { query: linked, after, matchEstimate: 10_000 },
      { ...sorted, matchEstimate: 10_000 },
    ],
    [
      'many linked objects, later',
      { query: linked, after, matchEstimate: 10_001 },
      { ...sorted, matchEstimate: 10_001 },
    ],
    ['linked objects with an equality', { query: and(linked, compare('eq')) }, walked],
    ['a text', { query: text }, walked],
    ['a text with an estimate', { query: text, matchEstimate: 7 }, walked],
    ['a text, later', { query: text, after }, walked],
    ['a text, later and ordered', { query: text, after, order }, walked],
    ['a text and an equality, later', { query: and(text, compare('eq')), after }, walked],
    ['an array element, later', { query: compare('eq', 'tags'), after }, walked],
    ['an interval, later', { query: interval, after }, walked],
    ['an area, later', { query: geo('within'), after }, walked],
    ['anything outside of an area, later', { query: geo('disjoint'), after }, walked],
    ['a pattern of an array, later', { query: pattern('tags'), after }, walked],
    ['a pattern, later', { query: pattern('a'), after }, sorted],
    ['two texts, later', { query: or(text, geo('within')), after }, walked],
    ['a text or a range, later', { query: or(text, compare('gt')), after }, walked],
    ['a negated text, later', { query: not(text), after }, walked],
  ])('for %s', (_, options, expected) => {
    const plan = planPage(request(options), LATEST, READER)
    expect(plan).toMatchObject(expected)
  })

  it('for a table that does not exist yet', () => {
    const state = { ...LATEST, table: { ...TABLE, isCreated: false } }
    expect(planPage(request({ query: text }), state, READER).kind).toBe('noTable')
    expect(planPage(request({ query: text }), state, mainThread()).thread).toBe('main')
  })
})

describe('the thread of a page', () => {
  const past = { ...TABLE, closedCount: 50_001 }
  const latest = { ...LATEST, table: past }
  const snapshot = { ...LATEST, version: 5, isLatest: false }
  const layout = { ...TABLE.layout, prefixFields: new Set(['a']) }
  const prefixed = { ...LATEST, table: { ...TABLE, layout } }
  const unindexedFields = new Map([['a', 'fewValues']] as const)
  const unindexed = {
    ...LATEST,
    table: { ...TABLE, layout: { ...TABLE.layout, unindexedFields } },
  }
  const long = 'x'.repeat(32)
  const equals = (value: string): Query => ({ ...compare('eq'), value }) as Query

  it.each<[string, Partial<ReadPageRequest>, typeof LATEST, PlanSite, 'main' | 'reader']>([
    ['a key walk', {}, latest, mainThread(), 'main'],
    ['a text', { query: text }, LATEST, mainThread(), 'reader'],
    ['an order', { order }, LATEST, mainThread(), 'main'],
    ['several values', { query: oneOf(2) }, LATEST, mainThread(), 'reader'],
    [
      'a frequent value without an index',
      { query: compare('eq'), maxObjects: 100 },
      unindexed,
      mainThread({ near: 101 }),
      'main',
    ],
    [
      'a rare value without an index',
      { query: compare('eq'), maxObjects: 100 },
      unindexed,
      mainThread({ near: 100 }),
      'reader',
    ],
    [
      'a frequent value without an index, counted',
      { query: compare('eq'), includeTotalCount: true },
      unindexed,
      mainThread(),
      'reader',
    ],
    [
      'a frequent value without an index among many past rows',
      { query: compare('eq'), maxObjects: 100 },
      { ...unindexed, table: { ...unindexed.table, closedCount: 50_001 } },
      mainThread({ near: 101 }),
      'reader',
    ],
    ['the order of few values', { order }, unindexed, mainThread(), 'reader'],
    [
      'a range in its order over many past rows',
      { query: compare('gt'), order },
      latest,
      mainThread({ rowVersions: 0 }),
      'reader',
    ],
    [
      'a long text in its order',
      { query: equals(long), order },
      prefixed,
      mainThread({ candidates: 0 }),
      'reader',
    ],
    ['linked objects', { query: linked }, LATEST, mainThread(), 'reader'],
    ['an order over many past rows', { order }, latest, mainThread(), 'reader'],
    [
      'few equal rows among past ones',
      { query: compare('eq') },
      latest,
      mainThread({ rowVersions: 5000 }),
      'main',
    ],
    [
      'many equal rows among past ones',
      { query: compare('eq') },
      latest,
      mainThread({ rowVersions: 5001 }),
      'reader',
    ],
    ['a snapshot with few later rows', {}, snapshot, mainThread({ rowsAfter: 50_000 }), 'main'],
    ['a snapshot with many later rows', {}, snapshot, mainThread({ rowsAfter: 50_001 }), 'reader'],
    [
      'a snapshot with many later commits',
      {},
      snapshot,
      mainThread({ rowsAfter: Infinity }),
      'reader',
    ],
    ['a short value of long texts', { query: equals('x') }, prefixed, mainThread(), 'main'],
    ['the order of long texts', { order }, prefixed, mainThread(), 'reader'],
    [
      'a long text with few of its prefix',
      { query: equals(long) },
      prefixed,
      mainThread({ candidates: 1000 }),
      'main',
    ],
    [
      'a long text with many of its prefix',
      { query: equals(long) },
      prefixed,
      mainThread({ candidates: 1001 }),
      'reader',
    ],
    [
      'a range of few rows',
      { query: compare('lt') },
      LATEST,
      mainThread({ rowVersions: 250 }),
      'main',
    ],
    [
      'a range of few rows, counted, among many past rows',
      { query: compare('lt'), includeTotalCount: true },
      latest,
      mainThread({ rowVersions: 250 }),
      'main',
    ],
    [
      'a range of many rows',
      { query: compare('lt') },
      LATEST,
      mainThread({ rowVersions: 251 }),
      'reader',
    ],
    [
      'a range that is known to have many rows',
      { query: compare('lt'), matchEstimate: 251 },
      LATEST,
      mainThread(),
      'reader',
    ],
    ['a range without an index', { query: compare('lt') }, unindexed, mainThread(), 'reader'],
    ['a range of long texts', { query: compare('lt') }, prefixed, mainThread(), 'reader'],
    ['a range of elements', { query: compare('lt', 'tags') }, LATEST, mainThread(), 'reader'],
    ['any page of a reader process', {}, LATEST, READER, 'reader'],
  ])('for %s', (_, options, state, site, expected) => {
    expect(planPage(request(options), state, site).thread).toBe(expected)
  })
})

it.each([
  ['subtracts few closed rows', 100_000, true, 'subtractClosed'],
  ['does not subtract many past rows', 100_001, true, 'countVisible'],
  ['does not subtract rows that a snapshot may contain', 0, false, 'countVisible'],
])('a count %s', (_, closedCount, isLatest, expected) => {
  const state = { version: 9, isLatest, table: { ...TABLE, closedCount } }
  const counted = request({ query: text, includeTotalCount: true })
  expect(planPage(counted, state, READER).totalCount).toBe(expected)
})

it('counts few matches one by one, rather than subtract closed rows', () => {
  const few = request({ query: compare('lt'), includeTotalCount: true })
  const plan = planPage(few, LATEST, mainThread({ rowVersions: 250 }))
  expect(plan).toMatchObject({ kind: 'sortFewMatches', totalCount: 'countVisible' })
})

it('reads current rows by their own index, and snapshots by version', () => {
  const snapshot = { ...LATEST, version: 5, isLatest: false }
  expect(planPage(request(), LATEST, READER)).toMatchObject({ visibility: 'current', version: 9 })
  expect(planPage(request(), snapshot, READER)).toMatchObject({ visibility: 'version', version: 5 })
})
