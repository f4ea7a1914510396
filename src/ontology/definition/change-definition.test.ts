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

  it('adds every type', () => {
    expect(plan('rail', first()).types).toMatchObject([
      { objectType: 'airport', changes: [{ kind: 'added' }] },
      { objectType: 'country', changes: [{ kind: 'added' }] },
    ])
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
      expect(change.types).toEqual([])
    }
  })

  it('gives a RID to each type that is new', () => {
    const station = { ...COUNTRY, apiName: 'station' }
    const change = plan('aviation', aviation({ objectTypes: [AIRPORT, COUNTRY, station] }))
    expect(typeRids(change)).toContainEqual(['station', 'ri.ontology.main.object-type.new-1'])
    expect(change.types).toMatchObject([{ objectType: 'station', changes: [{ kind: 'added' }] }])
  })

  it('can be the stored definition again', () => {
    const { ontology, types } = plan('aviation', stored.definition)
    expect(ontology.definition).toEqual(stored.definition)
    expect(types).toEqual([])
  })

  it('can rename the ontology by its RID', () => {
    const { ontology, types } = plan(ONTOLOGY_RID, aviation({ apiName: 'flight' }))
    expect(ontology).toMatchObject({ apiName: 'flight', rid: ONTOLOGY_RID })
    expect(types).toEqual([])
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
        {
          path: 'rid',
          reason: expect.stringMatching(
            `^is not ${ONTOLOGY_RID}, the RID of this ontology; leave RIDs out `,
          ),
        },
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

describe('the changes of object types', () => {
  const changesOf = (...objectTypes: ObjectTypeDefinition[]) =>
    plan('aviation', aviation({ objectTypes })).types.flatMap(({ objectType, changes }) =>
      changes.map(({ kind, property, from, to, rewrites }) =>
        [objectType, kind, property, from, to, rewrites ? 'rewrites' : 'keeps'].filter(Boolean),
      ),
    )

  const { elevation: _, ...withoutElevation } = AIRPORT.properties

  it.each<[string, Partial<ObjectTypeDefinition>]>([
    ['another title', { titleProperty: 'elevation' }],
    ['another limit', { retrievalLimit: 5 }],
    ['another description', { displayName: 'Airport', description: 'x' }],
    [
      'another order of properties',
      { properties: Object.fromEntries(Object.entries(AIRPORT.properties).reverse()) },
    ],
  ])('do not include %s', (_what, changes) => {
    expect(changesOf({ ...AIRPORT, ...changes }, COUNTRY)).toEqual([])
  })

  it('include types that are added, renamed and dropped', () => {
    const port = { ...AIRPORT, apiName: 'port', renamedFrom: 'airport' }
    const station = { ...COUNTRY, apiName: 'station' }
    expect(changesOf(port, station)).toEqual([
      ['port', 'renamed', 'airport', 'keeps'],
      ['station', 'added', 'keeps'],
      ['country', 'dropped', 'keeps'],
    ])
  })

  it('include another primary key', () => {
    expect(changesOf({ ...AIRPORT, primaryKey: 'elevation' }, COUNTRY)).toEqual([
      ['airport', 'rekeyed', 'elevation', 'id', 'rewrites'],
    ])
  })

  it('include added and dropped properties', () => {
    const properties: ObjectTypeDefinition['properties'] = {
      ...withoutElevation,
      opened: { type: 'date' },
    }
    expect(changesOf({ ...AIRPORT, properties }, COUNTRY)).toEqual([
      ['airport', 'added', 'opened', 'date', 'keeps'],
      ['airport', 'dropped', 'elevation', 'integer', 'rewrites'],
    ])
  })

  it('include a property that is renamed, and its new type', () => {
    const properties: ObjectTypeDefinition['properties'] = {
      ...withoutElevation,
      height: { type: 'long', renamedFrom: 'elevation' },
    }
    expect(changesOf({ ...AIRPORT, properties }, COUNTRY)).toEqual([
      ['airport', 'renamed', 'height', 'elevation', 'rewrites'],
      ['airport', 'widened', 'height', 'integer', 'long', 'rewrites'],
    ])
  })

  const struct = (fields: Record<string, 'integer' | 'short' | 'string'>): PropertyDefinition => ({
    type: 'struct',
    fields: Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, { type }])),
  })

  it.each<[string, PropertyDefinition, readonly (readonly string[])[]]>([
    ['elevation', { type: 'string' }, [['widened', 'elevation', 'integer', 'string']]],
    ['elevation', { type: 'decimal' }, [['widened', 'elevation', 'integer', 'decimal']]],
    ['elevation', { type: 'double' }, [['widened', 'elevation', 'integer', 'double']]],
    ['elevation', { type: 'float' }, [['reread', 'elevation', 'integer', 'float']]],
    ['elevation', { type: 'short' }, [['reread', 'elevation', 'integer', 'short']]],
    ['elevation', { type: 'date' }, [['reread', 'elevation', 'integer', 'date']]],
    [
      'elevation',
      { type: 'array', items: { type: 'long' } },
      [['widened', 'elevation', 'integer', 'array of long']],
    ],
    ['codes', { type: 'string' }, [['reread', 'codes', 'array of string', 'string']]],
    [
      'codes',
      { type: 'array', items: { type: 'long' } },
      [['reread', 'codes', 'array of string', 'array of long']],
    ],
    [
      'runway',
      struct({ width: 'integer' }),
      [
        ['added', 'runway.width', 'integer'],
        ['dropped', 'runway.length', 'integer'],
      ],
    ],
    [
      'runway',
      { type: 'array', items: struct({ width: 'integer' }) } as PropertyDefinition,
      [
        ['reread', 'runway', 'struct {length: integer}', 'array of struct {width: integer}'],
        ['added', 'runway.width', 'integer'],
        ['dropped', 'runway.length', 'integer'],
      ],
    ],
    ['runway', struct({ length: 'string' }), [['widened', 'runway.length', 'integer', 'string']]],
  ])('include another type of the property %s: %j', (name, property, changes) => {
    const properties = { ...AIRPORT.properties, [name]: property }
    expect(changesOf({ ...AIRPORT, properties }, COUNTRY)).toEqual(
      changes.map((change) => ['airport', ...change, change[0] === 'added' ? 'keeps' : 'rewrites']),
    )
  })

  it('keep stored objects if their JSON stays the same', () => {
    const country = {
      ...COUNTRY,
      properties: { ...COUNTRY.properties, area: { type: 'byte' as const } },
    }
    const before = plan('aviation', aviation({ objectTypes: [country] })).ontology
    const wider = { ...country.properties, area: { type: 'integer' as const } }
    const { types } = planChange(
      'aviation',
      aviation({ objectTypes: [{ ...country, properties: wider }] }),
      new Catalogue(8, [before]),
      () => 'unused',
    )
    expect(types).toMatchObject([{ changes: [{ kind: 'widened', rewrites: false }] }])
  })
})

describe('renames', () => {
  const renaming = (properties: ObjectTypeDefinition['properties']) =>
    aviation({ objectTypes: [{ ...AIRPORT, properties }, COUNTRY] })
  const { elevation: _, ...others } = AIRPORT.properties
  const renamed = renaming({
    ...others,
    height: { type: 'integer', renamedFrom: 'elevation' },
  })

  const planAfter = (change: ReturnType<typeof plan>, definition: OntologyDefinition) =>
    planChange('aviation', definition, new Catalogue(8, [change.ontology]), () => 'unused')
  const earlierNames = ({ ontology }: ReturnType<typeof plan>) =>
    [...JSON.stringify(ontology.definition).matchAll(/"renamedFrom":"(\w+)"/g)].map(
      ([, name]) => name,
    )

  it('are carried out once, and then recorded until the earlier name is in use again', () => {
    const first = plan('aviation', renamed)
    expect(first.types).toMatchObject([{ renamed: new Map([['height', 'elevation']]) }])
    expect(first.ontology.definition.objectTypes[0]?.properties['height']).toEqual({
      type: 'integer',
      renamedFrom: 'elevation',
    })
    const again = planAfter(first, renamed)
    expect(again.types).toEqual([])
    expect(again.ontology.definition).toEqual(first.ontology.definition)
    const withoutInstruction = planAfter(
      first,
      renaming({ ...others, height: { type: 'integer' } }),
    )
    expect(withoutInstruction.types).toEqual([])
    expect(withoutInstruction.ontology.definition).toEqual(first.ontology.definition)
    const level = planAfter(
      first,
      renaming({ ...others, level: { type: 'integer', renamedFrom: 'height' } }),
    )
    expect(earlierNames(level)).toEqual(['height'])
    const reused = planAfter(
      first,
      renaming({ ...others, height: { type: 'integer' }, elevation: { type: 'integer' } }),
    )
    expect(earlierNames(reused)).toEqual([])
  })

  it('are recorded for types, links and fields of structs as well', () => {
    const link = { apiName: 'main', from: 'country', to: 'airport', foreignKey: 'code' }
    const before = plan('aviation', aviation({ linkTypes: [link] }))
    const field = { type: 'integer', renamedFrom: 'length' } as const
    const runway = { type: 'struct', fields: { metres: field } } as const
    const airport = { ...AIRPORT, properties: { ...AIRPORT.properties, runway } }
    const state = { ...COUNTRY, apiName: 'state', renamedFrom: 'country' }
    const capital = { ...link, from: 'state', apiName: 'capital', renamedFrom: 'main' }
    const after = planAfter(
      before,
      aviation({ objectTypes: [airport, state], linkTypes: [capital] }),
    )
    expect(earlierNames(after)).toEqual(['length', 'country', 'main'])
    const { renamedFrom: _type, ...plainState } = state
    const { renamedFrom: _link, ...plainCapital } = capital
    const { renamedFrom: _field, ...plainField } = field
    const plainRunway = { type: 'struct', fields: { metres: plainField } } as const
    const plainAirport = { ...AIRPORT, properties: { ...AIRPORT.properties, runway: plainRunway } }
    const kept = planAfter(
      after,
      aviation({ objectTypes: [plainAirport, plainState], linkTypes: [plainCapital] }),
    )
    expect(kept.ontology.definition).toEqual(after.ontology.definition)
  })

  it('are recorded for a type that its RID identifies', () => {
    const port = { ...AIRPORT, apiName: 'port', rid: AIRPORT_RID }
    expect(earlierNames(plan('aviation', aviation({ objectTypes: [port, COUNTRY] })))).toEqual([
      'airport',
    ])
  })

  it('keep the RID of a type', () => {
    const port = { ...AIRPORT, apiName: 'port', renamedFrom: 'airport' }
    expect(typeRids(plan('aviation', aviation({ objectTypes: [port, COUNTRY] })))).toEqual([
      ['port', AIRPORT_RID],
      ['country', COUNTRY_RID],
    ])
  })

  it('include links, also of renamed types', () => {
    const link = { apiName: 'main', from: 'country', to: 'airport', foreignKey: 'code' }
    const { ontology } = plan('aviation', aviation({ linkTypes: [link] }))
    const { links } = planChange(
      'aviation',
      aviation({
        objectTypes: [AIRPORT, { ...COUNTRY, apiName: 'state', renamedFrom: 'country' }],
        linkTypes: [{ ...link, from: 'state', apiName: 'capital', renamedFrom: 'main' }],
      }),
      new Catalogue(8, [ontology]),
      () => 'unused',
    )
    expect(links).toEqual([
      { kind: 'renamed', linkType: 'capital', objectType: 'state', from: 'main' },
    ])
  })

  it('are refused while the old name is still there, or if two parts claim it', () => {
    const height = { type: 'integer', renamedFrom: 'elevation' } as const
    const at = (name: string) => `objectTypes[0].properties.${name}.renamedFrom`
    expect(mistakesOf('aviation', renaming({ ...AIRPORT.properties, height }))).toEqual([
      {
        path: at('height'),
        reason: 'the definition still has elevation; remove it there, or remove renamedFrom',
      },
    ])
    expect(mistakesOf('aviation', renaming({ ...others, height, level: height }))).toEqual([
      { path: at('level'), reason: 'elevation is renamed twice' },
    ])
  })
})
