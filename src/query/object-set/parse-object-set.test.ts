import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { AVIATION } from '../../../test/support/ontologies.ts'
import { OBJECT_RID_PREFIX } from '../../contract/object-record.ts'
import { Catalogue } from '../../ontology/catalogue.ts'
import { planChange } from '../../ontology/definition/change-definition.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import type { Query } from '../query.ts'
import { parseObjectSet } from './parse-object-set.ts'

const DEFINITION: OntologyDefinition = {
  ...AVIATION,
  sharedPropertyTypes: { height: { type: 'integer' }, depth: { type: 'integer' } },
  interfaceTypes: [
    {
      apiName: 'Placed',
      properties: ['height', { sharedProperty: 'depth', required: false }],
      links: [{ apiName: 'state', target: { objectType: 'country' }, cardinality: 'ONE' }],
    },
  ],
  objectTypes: AVIATION.objectTypes.map((type) =>
    type.apiName === 'airport'
      ? {
          ...type,
          implements: {
            Placed: { properties: { height: 'elevation' }, links: { state: 'country' } },
          },
        }
      : type,
  ),
}
const { ontology } = planChange('aviation', DEFINITION, new Catalogue(0, []), randomUUID)
const typeOf = (name: string) => {
  const type = ontology.objectTypes.get(name)
  if (type === undefined) throw new Error(`no type ${name}`)
  return type
}
const limits = { maxDepth: 3, maxTerms: 60, maxTextLength: 100 }
const stored = new Map<string, unknown>([
  ['set-1', { type: 'base', objectType: 'airport' }],
  ['set-2', { type: 'reference', reference: 'set-1' }],
  ['loop', { type: 'union', objectSets: [{ type: 'reference', reference: 'loop' }] }],
])

function parse(json: unknown) {
  return parseObjectSet(json, {
    ontology,
    limits,
    storedSet: (rid) => stored.get(rid),
  })
}

/** Returns the query of each type. */
function queriesOf(json: unknown): Record<string, Query> {
  return Object.fromEntries(parse(json).map(({ objectType, query }) => [objectType.apiName, query]))
}

const base = (objectType: string) => ({ type: 'base', objectType })
const airports = base('airport')
const above = (value: number, field = 'elevation') => ({ type: 'gt', field, value })
const filter = (objectSet: object, where: object) => ({ type: 'filter', objectSet, where })
const union = (...objectSets: object[]) => ({ type: 'union', objectSets })
const intersect = (...objectSets: object[]) => ({ type: 'intersect', objectSets })
const subtract = (...objectSets: object[]) => ({ type: 'subtract', objectSets })
const around = (objectSet: object, link: string) => ({ type: 'searchAround', objectSet, link })
const fixed = (...objects: unknown[]) => ({ type: 'static', objects })
const id = (n: number) => `00000000-0000-8000-8000-${String(n).padStart(12, '0')}`
const rid = (n: number) => OBJECT_RID_PREFIX + id(n)

const everything: Query = { kind: 'everything' }
const nothing: Query = { kind: 'or', of: [] }
const gt = (value: number): Query => ({
  kind: 'compare',
  field: { property: 'elevation', structField: undefined },
  operator: 'gt',
  value,
})

describe('an object set', () => {
  it.each<[string, object, Query]>([
    ['base', airports, everything],
    ['filter', filter(airports, above(5)), gt(5)],
    [
      'filter of a filter',
      filter(filter(airports, above(5)), above(7)),
      { kind: 'and', of: [gt(5), gt(7)] },
    ],
    ['the same filter twice', filter(filter(airports, above(5)), above(5)), gt(5)],
    [
      'union',
      union(filter(airports, above(5)), filter(airports, above(7))),
      { kind: 'or', of: [gt(5), gt(7)] },
    ],
    [
      'union of unions',
      union(
        union(filter(airports, above(1)), filter(airports, above(2))),
        filter(airports, above(3)),
      ),
      { kind: 'or', of: [gt(1), gt(2), gt(3)] },
    ],
    ['union with everything', union(filter(airports, above(5)), airports), everything],
    ['union of one', union(filter(airports, above(5))), gt(5)],
    ['intersect with everything', intersect(filter(airports, above(5)), airports), gt(5)],
    [
      'intersect',
      intersect(filter(airports, above(5)), filter(airports, above(7))),
      { kind: 'and', of: [gt(5), gt(7)] },
    ],
    ['subtract', subtract(airports, filter(airports, above(5))), { kind: 'not', of: gt(5) }],
    [
      'subtract several',
      subtract(filter(airports, above(1)), filter(airports, above(5)), filter(airports, above(7))),
      { kind: 'and', of: [gt(1), { kind: 'not', of: { kind: 'or', of: [gt(5), gt(7)] } }] },
    ],
    ['subtract everything', subtract(filter(airports, above(5)), airports), nothing],
    ['subtract another type', subtract(filter(airports, above(5)), base('country')), gt(5)],
    [
      'subtract of a difference',
      subtract(airports, subtract(airports, filter(airports, above(5)))),
      gt(5),
    ],
    ['reference', { type: 'reference', reference: 'set-2' }, everything],
    ['asType', { type: 'asType', entityType: 'airport', objectSet: airports }, everything],
    [
      'asType of an interface',
      { type: 'asType', entityType: 'Placed', objectSet: airports },
      everything,
    ],
    ['interfaceBase', { type: 'interfaceBase', interfaceType: 'Placed' }, everything],
    [
      'filter of an interface, by its names',
      filter({ type: 'interfaceBase', interfaceType: 'Placed' }, above(5, 'height')),
      gt(5),
    ],
    [
      'filter of an interface, by a property that the type does not implement',
      filter({ type: 'interfaceBase', interfaceType: 'Placed' }, above(5, 'depth')),
      nothing,
    ],
    [
      'filter of an interface, by its absence',
      filter(
        { type: 'interfaceBase', interfaceType: 'Placed' },
        { type: 'not', value: above(5, 'depth') },
      ),
      everything,
    ],
    [
      'asBaseObjectTypes, with the own names again',
      filter(
        {
          type: 'asBaseObjectTypes',
          objectSet: { type: 'interfaceBase', interfaceType: 'Placed' },
        },
        above(5),
      ),
      gt(5),
    ],
    [
      'static of one type',
      intersect(fixed(rid(2), rid(1), rid(2)), airports),
      { kind: 'objectIds', ids: [id(1), id(2)] },
    ],
    ['static without objects', intersect(fixed(), airports), nothing],
    ['linked to nothing', around(subtract(base('country'), base('country')), 'airports'), nothing],
  ])('becomes a plain query: %s', (_, json, expected) => {
    expect(queriesOf(json)).toEqual({ airport: expected })
  })

  it('follows a link in both directions', () => {
    const linked = (property: string, linkedType: string, linkedProperty: string, of: Query) => ({
      kind: 'linked',
      property,
      linkedType: typeOf(linkedType),
      linkedProperty,
      of,
    })
    const countries = around(filter(airports, above(5)), 'country')
    const inner = linked('code', 'airport', 'countryCode', gt(5))
    expect(queriesOf(countries)).toEqual({ country: inner })
    expect(queriesOf(around(countries, 'airports'))).toEqual({
      airport: linked('countryCode', 'country', 'code', inner as Query),
    })
  })

  it('has a part for every type that it may contain', () => {
    const ids = { kind: 'objectIds', ids: [id(1)] }
    const all = queriesOf(fixed(rid(1)))
    expect(Object.keys(all)).toEqual([...ontology.objectTypes.keys()])
    expect(all['country']).toEqual(ids)
    expect(queriesOf(union(airports, base('country')))).toEqual({
      airport: everything,
      country: everything,
    })
    // Only types with the property can satisfy the filter.
    expect(queriesOf(filter(fixed(rid(1)), above(5)))).toEqual({
      airport: { kind: 'and', of: [ids, gt(5)] },
    })
  })

  it.each<[string, unknown, string, object]>([
    ['no set', undefined, 'Conjure:UnprocessableEntity', { parameter: 'objectSet' }],
    ['no type', {}, 'Conjure:UnprocessableEntity', { parameter: 'objectSet' }],
    [
      'a type that does not exist',
      { type: 'bass' },
      'Default:InvalidArgument',
      { parameter: 'objectSet.type', value: 'bass' },
    ],
    ...['withProperties', 'nearestNeighbors', 'methodInput'].map(
      (type) =>
        [
          `the type ${type}`,
          union(airports, { type }),
          'UnsupportedObjectSet',
          { type, parameter: 'objectSet.objectSets[1].type' },
        ] as [string, unknown, string, object],
    ),
    [
      'a member that does not exist',
      { ...airports, objectTyp: 'x' },
      'Conjure:UnprocessableEntity',
      { parameter: 'objectSet.objectTyp' },
    ],
    [
      'no object type',
      { type: 'base', objectType: null },
      'Conjure:UnprocessableEntity',
      { parameter: 'objectSet.objectType', reason: 'is missing' },
    ],
    ['an unknown object type', base('airprot'), 'ObjectTypeNotFound', { objectType: 'airprot' }],
    [
      'an unknown interface',
      { type: 'interfaceBase', interfaceType: 'Plaec' },
      'InterfaceTypeNotFound',
      { apiName: 'Plaec' },
    ],
    [
      'an unknown entity type',
      { type: 'asType', entityType: 'Plaec', objectSet: airports },
      'ObjectTypeNotFound',
      { objectType: 'Plaec' },
    ],
    ['an unknown link', around(airports, 'contry'), 'LinkTypeNotFound', { linkType: 'contry' }],
    [
      'an unknown property',
      filter(airports, above(1, 'elevaton')),
      'PropertiesNotFound',
      { objectType: 'airport', properties: ['elevaton'] },
    ],
    [
      'an invalid filter',
      filter(airports, { type: 'gtt' }),
      'Default:InvalidArgument',
      { parameter: 'objectSet.where.type' },
    ],
    [
      'an unknown reference',
      { type: 'reference', reference: 'set-9' },
      'ObjectSetNotFound',
      { objectSetRid: 'set-9' },
    ],
    [
      'a set that contains itself',
      { type: 'reference', reference: 'loop' },
      'QueryDepthExceededLimit',
      { depth: 33, depthLimit: 32 },
    ],
    [
      'an empty union',
      union(),
      'Conjure:UnprocessableEntity',
      { parameter: 'objectSet.objectSets' },
    ],
    [
      'an intersection without a common type',
      intersect(airports, base('country')),
      'IncompatibleNestedObjectSet',
      { parameter: 'objectSet', objectTypes: [['airport'], ['country']] },
    ],
    [
      'a cast to a type that the set does not have',
      { type: 'asType', entityType: 'country', objectSet: airports },
      'IncompatibleNestedObjectSet',
      { objectTypes: [['airport']] },
    ],
    [
      'RIDs of other things',
      fixed(rid(1), airports),
      'Conjure:UnprocessableEntity',
      { parameter: 'objectSet.objects[1]' },
    ],
    [
      'too many objects',
      fixed(...Array.from({ length: 10_001 }, () => rid(1))),
      'QueryTermsExceededLimit',
      { termsLimit: 10_000, parameter: 'objectSet.objects' },
    ],
    [
      'too many sets',
      union(...Array.from({ length: 60 }, () => airports)),
      'QueryTermsExceededLimit',
      { termsLimit: 60 },
    ],
    [
      'too many links',
      Array.from({ length: 6 }).reduce<object>(
        (set) => around(around(set, 'country'), 'airports'),
        airports,
      ),
      'QueryTermsExceededLimit',
      { termsLimit: 10 },
    ],
  ])('is refused: %s', (_, json, errorName, parameters) => {
    expect(() => parse(json)).toThrow(
      expect.objectContaining({ errorName, parameters: expect.objectContaining(parameters) }),
    )
  })
})
