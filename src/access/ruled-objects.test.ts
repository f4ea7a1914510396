import { describe, expect, it } from 'vitest'
import { AIRPORT, fieldOf } from '../../test/support/parsed-queries.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import { NOTHING } from '../query/combine-queries.ts'
import { EVERYTHING, type Query } from '../query/query.ts'
import {
  isPartlyHidden,
  requireWritable,
  restrictType,
  ruleOf,
  ruleQuery,
} from './ruled-objects.ts'

const equals = (property: string): Query => ({
  kind: 'compare',
  field: fieldOf(property),
  operator: 'eq',
  value: 'x',
})
const RULE = equals('name')

/** The view of a caller who sees some objects and, if they are named, some properties. */
function restricted({ rows = EVERYTHING, shown }: { rows?: Query; shown?: readonly string[] }) {
  const properties = [...AIRPORT.properties].filter(([name]) => shown?.includes(name) ?? true)
  return restrictType({ ...AIRPORT, properties: new Map(properties) }, { of: AIRPORT, rows, shown })
}

const text: Query = {
  kind: 'text',
  field: undefined,
  match: 'allTerms',
  terms: ['x'],
  fuzzy: false,
}
const named: Query = { ...text, field: fieldOf('name') }
const negated: Query = { kind: 'not', of: named }
const and = (...of: Query[]): Query => ({ kind: 'and', of })
const or = (...of: Query[]): Query => ({ kind: 'or', of })
const not = (of: Query): Query => ({ kind: 'not', of })
const linkedTo = (linkedType: ObjectType, of: Query): Query => ({
  kind: 'linked',
  property: 'id',
  linkedType,
  linkedProperty: 'name',
  of,
})

describe('a restricted type', () => {
  it('is read-only, and knows the type itself', () => {
    const restriction = { of: { ...AIRPORT, definedIn: 7 }, rows: RULE, shown: undefined }
    const type = restrictType(AIRPORT, restriction)
    expect(type).toMatchObject({ apiName: 'airport', definedIn: 7, access: restriction })
    expect(ruleOf(type)).toMatchObject(restriction)
    expect(ruleOf(AIRPORT)).toBeUndefined()
    expect(() => requireWritable(type)).toThrow('ApiUsageDenied')
  })

  it.each([
    ['all', AIRPORT, false],
    ['all, but may not write', restricted({}), false],
    ['some objects', restricted({ rows: RULE }), true],
    ['some properties', restricted({ shown: ['id'] }), true],
  ])('is partly hidden from a caller who sees %s: %#', (_, type, expected) => {
    expect(isPartlyHidden(type)).toBe(expected)
  })
})

describe('the query of a caller', () => {
  it.each([
    ['everything', EVERYTHING, RULE],
    ['a condition', text, and(RULE, text)],
    ['conditions', and(text, named), and(RULE, text, named)],
    ['alternatives', or(text, named), and(RULE, or(text, named))],
  ])('with a rule, for %s, has the rule', (_, query, ruled) => {
    expect(ruleQuery(query, restricted({ rows: RULE }))).toEqual(ruled)
  })

  it('with several rules has all of them', () => {
    const rules = and(RULE, equals('id'))
    expect(ruleQuery(text, restricted({ rows: rules }))).toEqual(and(RULE, equals('id'), text))
  })

  it.each([EVERYTHING, text, negated, and(text, not(negated)), or(named, linkedTo(AIRPORT, text))])(
    'without rules stays the same: %j',
    (query) => {
      expect(ruleQuery(query, AIRPORT)).toBe(query)
      expect(ruleQuery(query, restricted({}))).toBe(query)
    },
  )

  it('searches only the visible texts', () => {
    const type = restricted({ shown: ['id', 'name', 'address', 'runways'] })
    const fields = [fieldOf('id'), fieldOf('name'), fieldOf('address', 'city')].map((field) =>
      expect.objectContaining(field),
    )
    const shown = { ...text, fields }
    expect(ruleQuery(text, type)).toEqual(shown)
    expect(ruleQuery(named, type)).toBe(named)
    for (const kind of ['and', 'or'] as const) {
      const query: Query = { kind, of: [named, text] }
      expect(ruleQuery(query, type)).toEqual({ kind, of: [named, shown] })
    }
    expect(ruleQuery(not(text), type)).toEqual({ kind: 'not', of: shown })
    const { kind, of } = ruleQuery(not(named), type) as Query & { kind: 'not' }
    expect([kind, of]).toEqual(['not', named])
    expect(ruleQuery(text, restricted({ shown: ['runways'] }))).toEqual(NOTHING)
  })

  it('follows a link by the rule of the linked type', () => {
    const type = restricted({ rows: RULE })
    expect(ruleQuery(linkedTo(type, EVERYTHING), AIRPORT)).toEqual(linkedTo(AIRPORT, RULE))
    const nested = linkedTo(restricted({}), linkedTo(type, text))
    expect(ruleQuery(nested, AIRPORT)).toEqual(
      linkedTo(AIRPORT, linkedTo(AIRPORT, and(RULE, text))),
    )
  })
})
