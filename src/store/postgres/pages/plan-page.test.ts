import { describe, expect, it } from 'vitest'
import { pageRequest } from '../../../../test/support/store-fixture.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Comparison, Field, Query } from '../../../query/query.ts'
import type { ReadPageRequest } from '../../object-store.ts'
import { NO_PREFIX_FIELDS } from '../../sql/compile/field-numbers.ts'
import { CAPABILITIES } from '../citus/capabilities.ts'
import type { TypeFields } from '../queries/queried-types.ts'
import { isStillValid, planPage, textPropertiesOf } from './plan-page.ts'

const TYPE = {
  apiName: 'thing',
  primaryKey: { apiName: 'k' },
  properties: new Map(
    Object.entries({
      k: { apiName: 'k', type: { kind: 'scalar' } },
      a: { apiName: 'a', type: { kind: 'scalar' } },
    }),
  ),
} as unknown as ObjectType

const TABLE = {
  table: 1,
  firstVersion: 1,
  loadedAs: 1,
  liveCount: 1_000_000,
  maxRecordBytes: 100,
  isCreated: true,
  indexedVersion: 0,
  prefixFields: NO_PREFIX_FIELDS,
}
const LATEST = { version: 9, isLatest: true, table: TABLE }
const SNAPSHOT = { version: 5, isLatest: false, table: TABLE }
const fieldsWith = (hasLongText: boolean) =>
  ({
    numbers: {
      find: ({ property }: Field) => ({ hasLongText, isKey: property === 'k' }),
      prefixFields: new Set(hasLongText ? ['a'] : []),
    },
  }) as unknown as TypeFields
const POSTGRES = { ...CAPABILITIES.postgres, fields: fieldsWith(false) }
const CITUS = { ...CAPABILITIES.citus, fields: fieldsWith(false) }

const compare = (operator: Comparison, property = 'a'): Query => ({
  kind: 'compare',
  field: { property, structField: undefined },
  operator,
  value: 1,
})
const text: Query = { kind: 'text', field: undefined, match: 'anyTerm', terms: ['x'], fuzzy: false }
const fuzzy: Query = { ...text, fuzzy: true }
const geo = (relation: 'within' | 'disjoint'): Query => ({
  kind: 'geo',
  field: { property: 'a', structField: undefined },
  relation,
  area: { kind: 'shape', members: [] },
})
const interval: Query = {
  kind: 'interval',
  field: { property: 'a', structField: undefined },
  rule: { kind: 'prefix', terms: ['x'] },
}
const not = (of: Query): Query => ({ kind: 'not', of })
const order = [{ property: 'a', direction: 'asc', nulls: 'last' }] as const

function request(options: Partial<ReadPageRequest> = {}): ReadPageRequest {
  return pageRequest(TYPE, { includeTotalCount: false, maxObjects: 100, ...options })
}

describe('the plan of a page', () => {
  const sorted = { kind: 'sortFewMatches', fewMatches: 10_000, needsLookup: true }
  const oneValue = { kind: 'valueWalk', needsLookup: false, prepared: true }
  const walked = { kind: 'indexWalk', needsLookup: false }
  const lookedUp = { kind: 'indexWalk', needsLookup: true }

  it.each<[string, Partial<ReadPageRequest>, object]>([
    ['every object', {}, { kind: 'keyWalk', needsLookup: false, prepared: true, pool: 'quick' }],
    ['every object, ordered', { order }, { ...lookedUp, prepared: true, pool: 'quick' }],
    ['a key', { query: compare('eq', 'k') }, { ...walked, prepared: true, pool: 'quick' }],
    ['an equality', { query: compare('eq') }, { ...oneValue, pool: 'quick' }],
    ['a counted equality', { query: compare('eq'), includeTotalCount: true }, walked],
    ['an ordered equality', { query: compare('eq'), order }, lookedUp],
    ['a range', { query: compare('gt') }, { ...walked, pool: 'slow' }],
    ['a counted range', { query: compare('gt'), includeTotalCount: true }, walked],
    ['a text', { query: text }, { ...sorted, pool: 'slow' }],
    ['a text, ordered', { query: text, order }, lookedUp],
    ['a text with an estimate', { query: text, matchEstimate: 7 }, { ...sorted, matchEstimate: 7 }],
    ['a text and a range', { query: { kind: 'and', of: [text, compare('gt')] } }, sorted],
    ['an interval', { query: interval }, sorted],
    ['an area', { query: geo('within') }, sorted],
    ['two areas', { query: { kind: 'or', of: [geo('within'), geo('within')] } }, sorted],
    ['anything outside of an area', { query: geo('disjoint') }, walked],
    ['a range of keys', { query: compare('gt', 'k') }, { ...walked, prepared: false }],
    ['a negated key', { query: not(compare('eq', 'k')) }, { ...walked, prepared: false }],
    ['a negated text', { query: not(text) }, walked],
    ['a negated fuzzy text', { query: not(fuzzy) }, lookedUp],
  ])('for %s', (_, options, expected) => {
    expect(planPage(request(options), LATEST, POSTGRES)).toMatchObject(expected)
  })

  it('looks up the fields of a type that it has not seen', () => {
    const capabilities = { ...POSTGRES, fields: undefined }
    const query = compare('eq')
    expect(planPage(request({ query }), LATEST, capabilities)).toMatchObject(lookedUp)
    expect(planPage(request(), LATEST, capabilities)).toMatchObject({ needsLookup: false })
  })

  it('takes texts for long as long as it has not seen the type', () => {
    const type = (kind: string) => ({ apiName: kind, type: { kind, type: 'string' } })
    const properties = new Map([
      ['scalar', type('scalar')],
      ['array', type('array')],
      ['number', { apiName: 'number', type: { kind: 'scalar', type: 'integer' } }],
    ])
    const objectType = { ...TYPE, properties } as unknown as ObjectType
    expect([...textPropertiesOf(objectType)]).toEqual(['scalar'])
    const pool = (property: string, fields: TypeFields | undefined) =>
      planPage(
        { ...request({ order: [{ property, direction: 'asc', nulls: 'last' }] }), objectType },
        LATEST,
        { ...POSTGRES, fields },
      ).pool
    expect([pool('scalar', undefined), pool('number', undefined)]).toEqual(['slow', 'quick'])
    expect(pool('scalar', fieldsWith(false))).toBe('quick')
  })

  it.each([
    ['the current rows', LATEST, POSTGRES, 'subtractClosed'],
    ['a snapshot', SNAPSHOT, POSTGRES, 'countVisible'],
    ['the latest version on Citus', LATEST, CITUS, 'subtractClosed'],
    ['a snapshot on Citus', SNAPSHOT, CITUS, 'countVisible'],
  ])('counts the matches of %s', (_, state, capabilities, totalCount) => {
    const counted = request({ query: compare('gt'), includeTotalCount: true })
    const expected = { totalCount, needsLookup: false }
    expect(planPage(counted, state, capabilities)).toMatchObject(expected)
  })

  it('reads by version on Citus', () => {
    for (const query of [request().query, compare('eq')]) {
      const plan = planPage(request({ query }), LATEST, CITUS)
      expect(plan).toMatchObject({ visibility: 'version', needsLookup: false })
    }
  })
})

it.each([
  ['the latest version', LATEST, 100, false],
  ['a snapshot of a large table', SNAPSHOT, 100, true],
  ['a snapshot in pages that are large beside its table', SNAPSHOT, 10_000, false],
  ['a snapshot of a small table', { ...SNAPSHOT, table: { ...TABLE, liveCount: 1000 } }, 1, false],
])('values are hidden from the planner for %s: %#', (_, state, maxObjects, hideValues) => {
  expect(planPage(request({ maxObjects }), state, POSTGRES)).toMatchObject({ hideValues })
})

describe('a plan from an earlier head', () => {
  const planOf = (state: typeof LATEST, options: Partial<ReadPageRequest> = {}) =>
    planPage(request(options), state, POSTGRES)
  const larger = { ...TABLE, maxRecordBytes: 1_000_000 }

  it.each([
    ['is valid for the same head', LATEST, LATEST, true],
    ['is valid for current rows of a later version', LATEST, { ...LATEST, version: 10 }, true],
    [
      'is invalid if its version is no longer the latest',
      LATEST,
      { ...LATEST, isLatest: false },
      false,
    ],
    ['is valid for the same snapshot', SNAPSHOT, SNAPSHOT, true],
    ['is invalid for another version', SNAPSHOT, { ...SNAPSHOT, version: 6 }, false],
    ['is invalid for another table', LATEST, { ...LATEST, table: { ...TABLE, table: 2 } }, false],
    ['is invalid if records might not fit any more', LATEST, { ...LATEST, table: larger }, false],
    ['is valid if it measured records needlessly', { ...LATEST, table: larger }, LATEST, true],
    [
      'is valid if both measure records',
      { ...LATEST, table: larger },
      { ...LATEST, table: larger },
      true,
    ],
  ])('%s', (_, earlier, later, expected) => {
    expect(isStillValid(planOf(earlier), planOf(later))).toBe(expected)
  })

  it('is invalid for another kind of plan', () => {
    const range = planOf(LATEST, { query: compare('gt') })
    expect(isStillValid(range, planOf(LATEST, { query: compare('eq') }))).toBe(false)
  })
})
