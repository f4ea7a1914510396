import { describe, expect, it } from 'vitest'
import { ObjectQueryError } from '../../contract/errors.ts'
import { Catalogue } from '../catalogue.ts'
import { planChange } from './change-definition.ts'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
  PropertyDefinition,
} from './definition-schema.ts'
import { parseDefinition } from './parse-definition.ts'

const ONTOLOGY_RID = 'ri.ontology.main.ontology.aviation'
const AIRPORT_RID = 'ri.ontology.main.object-type.airport'
const COUNTRY_RID = 'ri.ontology.main.object-type.country'

const AIRPORT: ObjectTypeDefinition = {
  apiName: 'airport',
  primaryKey: 'id',
  properties: {
    id: { type: 'string' },
    elevation: { type: 'integer' },
    codes: { type: 'array', items: { type: 'string' } },
    runway: { type: 'struct', fields: { length: { type: 'integer' } } },
  },
}
const COUNTRY: ObjectTypeDefinition = {
  apiName: 'country',
  primaryKey: 'code',
  properties: { code: { type: 'string' } },
}

const aviation = (changes: Partial<OntologyDefinition> = {}): OntologyDefinition => ({
  apiName: 'aviation',
  families: ['gotham'],
  objectTypes: [AIRPORT, COUNTRY],
  ...changes,
})

const stored = parseDefinition({
  ...aviation(),
  rid: ONTOLOGY_RID,
  objectTypes: [
    { ...AIRPORT, rid: AIRPORT_RID },
    { ...COUNTRY, rid: COUNTRY_RID },
  ],
})
const other = parseDefinition({
  apiName: 'shipping',
  rid: 'ri.ontology.main.ontology.shipping',
  families: ['sea', 'lake'],
  objectTypes: [{ ...COUNTRY, apiName: 'ship', rid: 'ri.ontology.main.object-type.ship' }],
})
const catalogue = new Catalogue(7, [stored, other])

/** Applies a definition over the stored ontologies; new UUIDs are `new-1`, `new-2`, … */
function plan(identifier: string, definition: OntologyDefinition) {
  let made = 0
  return planChange(identifier, definition, catalogue, () => {
    made += 1
    return `new-${made}`
  })
}

function mistakesOf(identifier: string, definition: OntologyDefinition): unknown {
  try {
    plan(identifier, definition)
  } catch (error) {
    if (!(error instanceof ObjectQueryError)) throw error
    expect(error.errorName).toBe('InvalidOntologyDefinition')
    return error.parameters['mistakes']
  }
  return []
}

const typeRids = ({ ontology }: ReturnType<typeof plan>) =>
  [...ontology.objectTypes.values()].map(({ apiName, rid }) => [apiName, rid])

describe('the first definition of an ontology', () => {
  const first = (changes: Partial<OntologyDefinition> = {}) =>
    aviation({ apiName: 'rail', families: ['rail'], ...changes })

  it('gets new RIDs, which become part of the definition', () => {
    const { ontology } = plan('rail', first())
    expect(ontology.rid).toBe('ri.ontology.main.ontology.new-1')
    expect(ontology.definition).toEqual({
      ...first(),
      rid: 'ri.ontology.main.ontology.new-1',
      objectTypes: [
        { ...AIRPORT, rid: 'ri.ontology.main.object-type.new-2' },
        { ...COUNTRY, rid: 'ri.ontology.main.object-type.new-3' },
      ],
    })
  })

  it('can contain its RIDs', () => {
    const rid = 'ri.ontology.main.ontology.mine'
    const typeRid = 'ri.ontology.main.object-type.mine'
    const change = plan('rail', first({ rid, objectTypes: [{ ...AIRPORT, rid: typeRid }] }))
    expect(change.ontology.rid).toBe(rid)
    expect(typeRids(change)).toEqual([['airport', typeRid]])
  })

  it('can be sent for a new RID', () => {
    const rid = 'ri.ontology.main.ontology.mine'
    expect(plan(rid, first()).ontology).toMatchObject({ rid, apiName: 'rail' })
  })

  it('has no breaking changes', () => {
    expect(plan('rail', first()).breakingChanges).toEqual([])
  })

  it('states the catalogue generation of its check', () => {
    expect(plan('rail', first()).basedOn).toBe(7)
  })

  it('does not change the definition that was passed in', () => {
    const definition = first()
    plan('rail', definition)
    expect(definition).toEqual(first())
  })
})

describe('a later definition', () => {
  it('keeps every RID, whether it is found by name or by RID', () => {
    for (const identifier of ['aviation', ONTOLOGY_RID]) {
      const change = plan(identifier, aviation({ objectTypes: [COUNTRY, AIRPORT] }))
      expect(change.ontology.rid).toBe(ONTOLOGY_RID)
      expect(typeRids(change)).toEqual([
        ['country', COUNTRY_RID],
        ['airport', AIRPORT_RID],
      ])
      expect(change.breakingChanges).toEqual([])
    }
  })

  it('gives a RID to each type that is new', () => {
    const station = { ...COUNTRY, apiName: 'station' }
    const change = plan('aviation', aviation({ objectTypes: [AIRPORT, COUNTRY, station] }))
    expect(typeRids(change)).toContainEqual(['station', 'ri.ontology.main.object-type.new-1'])
    expect(change.breakingChanges).toEqual([])
  })

  it('can be the stored definition again', () => {
    const { ontology, breakingChanges } = plan('aviation', stored.definition)
    expect(ontology.definition).toEqual(stored.definition)
    expect(breakingChanges).toEqual([])
  })

  it('can rename the ontology by its RID', () => {
    const { ontology, breakingChanges } = plan(ONTOLOGY_RID, aviation({ apiName: 'flight' }))
    expect(ontology).toMatchObject({ apiName: 'flight', rid: ONTOLOGY_RID })
    expect(breakingChanges).toEqual([])
  })

  it('lets a type keep its RID under another name', () => {
    const renamed = { ...AIRPORT, apiName: 'aerodrome', rid: AIRPORT_RID }
    expect(typeRids(plan('aviation', aviation({ objectTypes: [renamed, COUNTRY] })))).toEqual([
      ['aerodrome', AIRPORT_RID],
      ['country', COUNTRY_RID],
    ])
  })

  it('cannot rename the ontology by its name', () => {
    expect(mistakesOf('aviation', aviation({ apiName: 'flight' }))).toEqual([
      { path: 'apiName', reason: 'is not aviation, the name in the path' },
    ])
  })

  it('cannot give the ontology another RID', () => {
    const rid = 'ri.ontology.main.ontology.other'
    for (const identifier of ['aviation', ONTOLOGY_RID]) {
      expect(mistakesOf(identifier, aviation({ rid }))).toEqual([
        { path: 'rid', reason: `is not ${ONTOLOGY_RID}, the RID of this ontology` },
      ])
    }
  })

  it('reports a wrong name and a wrong RID together', () => {
    const rid = 'ri.ontology.main.ontology.other'
    expect(mistakesOf('aviation', aviation({ apiName: 'flight', rid }))).toMatchObject([
      { path: 'apiName' },
      { path: 'rid' },
    ])
  })

  it('is refused for the mistakes of any definition', () => {
    const type = { ...AIRPORT, primaryKey: 'nope' }
    expect(mistakesOf('aviation', aviation({ objectTypes: [type] }))).toEqual([
      { path: 'objectTypes[0].primaryKey', reason: 'the object type has no property nope' },
    ])
  })
})

describe('names and RIDs that are taken', () => {
  it('cannot be the name of another ontology', () => {
    expect(mistakesOf(ONTOLOGY_RID, aviation({ apiName: 'shipping' }))).toEqual([
      { path: 'apiName', reason: 'another ontology is named shipping' },
    ])
    const newRid = 'ri.ontology.main.ontology.new'
    const definition = aviation({ apiName: 'shipping', families: [], objectTypes: [] })
    expect(mistakesOf(newRid, definition)).toEqual([
      { path: 'apiName', reason: 'another ontology is named shipping' },
    ])
  })

  it('cannot be families of another ontology', () => {
    expect(mistakesOf('aviation', aviation({ families: ['lake', 'gotham', 'sea'] }))).toEqual([
      { path: 'families[0]', reason: 'belongs to another ontology' },
      { path: 'families[2]', reason: 'belongs to another ontology' },
    ])
  })

  it('cannot be the RID of a type of another ontology', () => {
    const ship = { ...COUNTRY, apiName: 'boat', rid: 'ri.ontology.main.object-type.ship' }
    expect(mistakesOf('aviation', aviation({ objectTypes: [AIRPORT, COUNTRY, ship] }))).toEqual([
      { path: 'objectTypes[2].rid', reason: 'belongs to another object type' },
    ])
  })

  it('cannot be the RID of another type of the same ontology', () => {
    const twin = { ...COUNTRY, apiName: 'twin', rid: AIRPORT_RID }
    expect(mistakesOf('aviation', aviation({ objectTypes: [AIRPORT, COUNTRY, twin] }))).toEqual([
      { path: 'objectTypes[2].rid', reason: 'belongs to another object type' },
    ])
  })

  it('are reported together', () => {
    const definition = aviation({ apiName: 'shipping', families: ['sea'] })
    expect(mistakesOf(ONTOLOGY_RID, definition)).toMatchObject([
      { path: 'apiName' },
      { path: 'families[0]' },
    ])
  })
})

describe('breaking changes', () => {
  const harmsOf = (...objectTypes: ObjectTypeDefinition[]) =>
    plan('aviation', aviation({ objectTypes })).breakingChanges

  const { elevation: _, ...withoutElevation } = AIRPORT.properties

  it.each<[string, Partial<ObjectTypeDefinition>]>([
    ['a new property', { properties: { ...AIRPORT.properties, name: { type: 'string' } } }],
    ['another title', { titleProperty: 'elevation' }],
    ['another limit', { retrievalLimit: 5 }],
    ['another description', { displayName: 'Airport', description: 'x' }],
    [
      'another order of properties',
      { properties: Object.fromEntries(Object.entries(AIRPORT.properties).reverse()) },
    ],
    [
      'a new field of a struct',
      {
        properties: {
          ...AIRPORT.properties,
          runway: {
            type: 'struct',
            fields: { width: { type: 'integer' }, length: { type: 'integer' } },
          },
        },
      },
    ],
  ])('is not done by %s', (_what, changes) => {
    expect(harmsOf({ ...AIRPORT, ...changes }, COUNTRY)).toEqual([])
  })

  it('do not include new or removed links', () => {
    const link = { apiName: 'main', from: 'country', to: 'airport', foreignKey: 'code' }
    const linked = plan('aviation', aviation({ linkTypes: [link] }))
    expect(linked.breakingChanges).toEqual([])
    const unlinked = planChange(
      'aviation',
      aviation(),
      new Catalogue(8, [linked.ontology]),
      () => 'unused',
    )
    expect(unlinked.breakingChanges).toEqual([])
  })

  it('include a missing type', () => {
    expect(harmsOf(COUNTRY)).toEqual([
      {
        typeRid: AIRPORT_RID,
        reasons: ['object type airport has objects and is missing from the definition'],
      },
    ])
  })

  it('include a missing property', () => {
    expect(harmsOf({ ...AIRPORT, properties: withoutElevation }, COUNTRY)).toEqual([
      {
        typeRid: AIRPORT_RID,
        reasons: ['property airport.elevation is missing from the definition'],
      },
    ])
  })

  it.each<[string, PropertyDefinition, string]>([
    ['elevation', { type: 'string' }, 'integer to string'],
    ['elevation', { type: 'long' }, 'integer to long'],
    ['elevation', { type: 'array', items: { type: 'integer' } }, 'integer to array of integer'],
    ['codes', { type: 'string' }, 'array of string to string'],
    ['codes', { type: 'array', items: { type: 'long' } }, 'array of string to array of long'],
    [
      'runway',
      { type: 'struct', fields: { width: { type: 'integer' } } },
      'struct {length: integer} to struct {width: integer}',
    ],
    [
      'runway',
      { type: 'struct', fields: { length: { type: 'string' } } },
      'struct {length: integer} to struct {length: string}',
    ],
  ])('is done by another type of the property %s: %j', (name, property, change) => {
    const properties = { ...AIRPORT.properties, [name]: property }
    expect(harmsOf({ ...AIRPORT, properties }, COUNTRY)).toEqual([
      { typeRid: AIRPORT_RID, reasons: [`property airport.${name} would change from ${change}`] },
    ])
  })

  it('include another primary key', () => {
    expect(harmsOf({ ...AIRPORT, primaryKey: 'elevation' }, COUNTRY)).toEqual([
      {
        typeRid: AIRPORT_RID,
        reasons: ['airport: the primary key would change from id to elevation'],
      },
    ])
  })

  it('are listed with every reason, by type', () => {
    const properties = {
      ...withoutElevation,
      id: { type: 'long' },
      opened: { type: 'date' },
    } as const
    expect(harmsOf({ ...AIRPORT, primaryKey: 'opened', properties })).toEqual([
      {
        typeRid: AIRPORT_RID,
        reasons: [
          'airport: the primary key would change from id to opened',
          'property airport.id would change from string to long',
          'property airport.elevation is missing from the definition',
        ],
      },
      {
        typeRid: COUNTRY_RID,
        reasons: ['object type country has objects and is missing from the definition'],
      },
    ])
  })
})
