import { describe, expect, it } from 'vitest'
import { ObjectQueryError } from '../../contract/errors.ts'
import type {
  LinkTypeDefinition,
  ObjectTypeDefinition,
  OntologyDefinition,
  PropertyDefinition,
} from './definition-schema.ts'
import type { Mistake } from './mistakes.ts'
import { parseDefinition } from './parse-definition.ts'
import { PRIMARY_KEY_TYPES, SCALAR_TYPES } from './property-type.ts'

const AIRPORT: ObjectTypeDefinition = {
  apiName: 'airport',
  rid: 'ri.ontology.main.object-type.1',
  primaryKey: 'id',
  properties: {
    id: { type: 'string' },
    elevation: { type: 'integer' },
    countryCode: { type: 'string' },
    codes: { type: 'array', items: { type: 'string' } },
  },
}
const COUNTRY: ObjectTypeDefinition = {
  apiName: 'country',
  rid: 'ri.ontology.main.object-type.2',
  primaryKey: 'code',
  properties: { code: { type: 'string' } },
}
const LINK: LinkTypeDefinition = {
  apiName: 'country',
  reverseApiName: 'airports',
  from: 'airport',
  to: 'country',
  foreignKey: 'countryCode',
}

const ontology = (definition: Partial<OntologyDefinition> = {}): OntologyDefinition => ({
  apiName: 'aviation',
  rid: 'ri.ontology.main.ontology.1',
  objectTypes: [AIRPORT, COUNTRY],
  ...definition,
})

/** An ontology of one object type: an airport with the given changes. */
const airport = (changes: Partial<ObjectTypeDefinition>): OntologyDefinition =>
  ontology({ objectTypes: [{ ...AIRPORT, ...changes }] })

const withProperty = (property: PropertyDefinition): OntologyDefinition =>
  airport({ properties: { ...AIRPORT.properties, odd: property } })

const withLinks = (...changes: Partial<LinkTypeDefinition>[]): OntologyDefinition =>
  ontology({ linkTypes: changes.map((change) => ({ ...LINK, ...change })) })

function mistakesOf(definition: OntologyDefinition): readonly Mistake[] {
  try {
    parseDefinition(definition)
  } catch (error) {
    if (!(error instanceof ObjectQueryError)) throw error
    expect(error.errorName).toBe('InvalidOntologyDefinition')
    return error.parameters['mistakes'] as readonly Mistake[]
  }
  return []
}

describe('a definition', () => {
  it('is parsed into an ontology whose parts are found by name', () => {
    const parsed = parseDefinition(
      ontology({
        families: ['gotham', 'other'],
        objectTypes: [{ ...AIRPORT, titleProperty: 'id', retrievalLimit: 'none' }, COUNTRY],
        linkTypes: [LINK],
      }),
    )
    expect(parsed).toMatchObject({
      rid: 'ri.ontology.main.ontology.1',
      apiName: 'aviation',
      families: ['gotham', 'other'],
      linkTypes: [LINK],
    })
    expect([...parsed.objectTypes.keys()]).toEqual(['airport', 'country'])
    expect(parsed.objectTypes.get('airport')).toMatchObject({
      apiName: 'airport',
      rid: 'ri.ontology.main.object-type.1',
      primaryKey: { apiName: 'id', type: 'string' },
      titleProperty: 'id',
      retrievalLimit: 'none',
    })
    expect(parsed.objectTypes.get('country')).toMatchObject({
      titleProperty: undefined,
      retrievalLimit: undefined,
    })
  })

  it('is stored as it was written', () => {
    const definition = ontology({ displayName: 'Aviation', description: 'Planes' })
    expect(parseDefinition(definition).definition).toBe(definition)
  })

  it('requires no object types, families or links', () => {
    expect(parseDefinition({ apiName: 'empty', objectTypes: [] })).toMatchObject({
      families: [],
      linkTypes: [],
    })
  })

  it('keeps the order of the properties', () => {
    const type = parseDefinition(ontology()).objectTypes.get('airport')
    expect([...(type?.properties.keys() ?? [])]).toEqual([
      'id',
      'elevation',
      'countryCode',
      'codes',
    ])
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a.b-c'])(
    'may use the name %s wherever a name stands',
    (name) => {
      const properties = JSON.parse(`{"${name}":{"type":"string"}}`)
      const type = { apiName: name, primaryKey: name, titleProperty: name, properties }
      const parsed = parseDefinition({
        apiName: name,
        families: [name],
        objectTypes: [type],
        linkTypes: [{ apiName: name, from: name, to: name, foreignKey: name }],
      })
      expect(parsed.objectTypes.get(name)?.properties.get(name)).toEqual({
        apiName: name,
        type: { kind: 'scalar', type: 'string' },
      })
    },
  )

  it.each(['__proto__', 'constructor', 'toString'])(
    'does not find a property %s that it does not have',
    (name) => {
      const reason = `the object type has no property ${name}`
      expect(mistakesOf(airport({ primaryKey: name }))).toEqual([
        { path: 'objectTypes[0].primaryKey', reason },
      ])
      expect(mistakesOf(airport({ titleProperty: name }))).toEqual([
        { path: 'objectTypes[0].titleProperty', reason },
      ])
      expect(mistakesOf(withLinks({ from: name })).map(({ path }) => path)).toContain(
        'linkTypes[0].from',
      )
    },
  )
})

describe('the type of a property', () => {
  const parsedType = (property: PropertyDefinition) =>
    parseDefinition(withProperty(property)).objectTypes.get('airport')?.properties.get('odd')?.type

  it.each(SCALAR_TYPES)('can be %s, alone, in an array, in a struct and in both', (type) => {
    const scalar = { kind: 'scalar', type }
    const struct = { kind: 'struct', fields: new Map([['a', scalar]]) }
    const fields = { a: { type } }
    expect(parsedType({ type })).toEqual(scalar)
    expect(parsedType({ type: 'array', items: { type } })).toEqual({ kind: 'array', items: scalar })
    expect(parsedType({ type: 'struct', fields })).toEqual(struct)
    expect(parsedType({ type: 'array', items: { type: 'struct', fields } })).toEqual({
      kind: 'array',
      items: struct,
    })
  })

  it.each<[string, PropertyDefinition]>([
    ['an array needs items', { type: 'array' }],
    ['a struct needs fields', { type: 'struct' }],
    ['a struct needs fields', { type: 'array', items: { type: 'struct' } }],
    ['only an array can have items', { type: 'string', items: { type: 'string' } }],
    ['only an array can have items', { type: 'struct', items: { type: 'string' } }],
    ['only a struct can have fields', { type: 'string', fields: { a: { type: 'string' } } }],
    ['only a struct can have fields', { type: 'array', fields: { a: { type: 'string' } } }],
    [
      'only a struct can have fields',
      { type: 'array', items: { type: 'string', fields: { a: { type: 'string' } } } },
    ],
  ])('is refused where its parts do not fit it: %s, %j', (reason, property) => {
    expect(mistakesOf(withProperty(property))).toEqual([
      { path: expect.stringMatching(/^objectTypes\[0\]\.properties\.odd/), reason },
    ])
  })
})

describe('the key and the title of a type', () => {
  it.each(PRIMARY_KEY_TYPES)('can both have type %s', (type) => {
    const definition = airport({ titleProperty: 'id', properties: { id: { type } } })
    expect(mistakesOf(definition)).toEqual([])
    expect(parseDefinition(definition).objectTypes.get('airport')?.primaryKey.type).toBe(type)
  })

  it.each<PropertyDefinition>([
    { type: 'float' },
    { type: 'decimal' },
    { type: 'geopoint' },
    { type: 'geoshape' },
    { type: 'attachment' },
    { type: 'marking' },
    { type: 'array', items: { type: 'string' } },
    { type: 'struct', fields: { a: { type: 'string' } } },
  ])('have a key that is never $type', (property) => {
    expect(mistakesOf(airport({ properties: { id: property } }))).toEqual([
      {
        path: 'objectTypes[0].primaryKey',
        reason: `a primary key must have one of the types ${PRIMARY_KEY_TYPES.join(', ')}`,
      },
    ])
  })

  it.each<PropertyDefinition>([
    { type: 'geopoint' },
    { type: 'geoshape' },
    { type: 'attachment' },
    { type: 'array', items: { type: 'string' } },
    { type: 'struct', fields: { a: { type: 'string' } } },
  ])('have a title that is never $type', (property) => {
    expect(mistakesOf(withProperty(property))).toEqual([])
    const properties = { ...AIRPORT.properties, odd: property }
    expect(mistakesOf(airport({ titleProperty: 'odd', properties }))).toEqual([
      {
        path: 'objectTypes[0].titleProperty',
        reason: 'a title property must be a string, number, boolean, date, timestamp or marking',
      },
    ])
  })
})

describe('links', () => {
  it('can lead from a type to itself, and in both directions between two types', () => {
    const loop = { ...LINK, apiName: 'parent', reverseApiName: 'children', to: 'airport' }
    const back = { apiName: 'main', from: 'country', to: 'airport', foreignKey: 'code' }
    expect(mistakesOf(ontology({ linkTypes: [LINK, loop, back] }))).toEqual([])
  })

  it('must name types and a property that exist', () => {
    expect(mistakesOf(withLinks({ from: 'x' }))).toEqual([
      { path: 'linkTypes[0].from', reason: 'the ontology has no object type x' },
    ])
    expect(mistakesOf(withLinks({ to: 'x' }))).toEqual([
      { path: 'linkTypes[0].to', reason: 'the ontology has no object type x' },
    ])
    expect(mistakesOf(withLinks({ foreignKey: 'x' }))).toEqual([
      { path: 'linkTypes[0].foreignKey', reason: 'airport has no property x' },
    ])
  })

  it.each([
    ['elevation', 'has type integer, but the primary key of country has type string'],
    ['codes', 'has type array of string, but the primary key of country has type string'],
  ])('must hold the key of the type that they lead to: %s does not', (foreignKey, reason) => {
    expect(mistakesOf(withLinks({ foreignKey }))).toEqual([
      { path: 'linkTypes[0].foreignKey', reason },
    ])
  })

  it('must have a unique name on each side', () => {
    expect(mistakesOf(withLinks({}, { reverseApiName: 'others' }))).toEqual([
      { path: 'linkTypes[1].apiName', reason: 'airport already has a link country' },
    ])
    expect(mistakesOf(withLinks({}, { apiName: 'other' }))).toEqual([
      { path: 'linkTypes[1].reverseApiName', reason: 'country already has a link airports' },
    ])
    expect(
      mistakesOf(withLinks({ apiName: 'peer', reverseApiName: 'peer', to: 'airport' })),
    ).toEqual([{ path: 'linkTypes[0].reverseApiName', reason: 'airport already has a link peer' }])
  })
})

describe('mistakes', () => {
  it('are reported together, each with its path', () => {
    const definition = ontology({
      families: ['a', 'b', 'a'],
      objectTypes: [
        AIRPORT,
        { ...COUNTRY, primaryKey: 'nope' },
        { ...AIRPORT, titleProperty: 'codes' },
        {
          ...COUNTRY,
          apiName: 'odd',
          properties: { code: { type: 'string' }, a: { type: 'array' } },
        },
      ],
    })
    const paths = mistakesOf(definition).map(({ path, reason }) => `${path}: ${reason}`)
    expect(paths.toSorted()).toEqual([
      'families[2]: a is listed twice',
      'objectTypes[1].primaryKey: the object type has no property nope',
      'objectTypes[2].apiName: airport is defined twice',
      'objectTypes[2].titleProperty: a title property must be a string, number, boolean, date, timestamp or marking',
      'objectTypes[3].properties.a: an array needs items',
    ])
  })

  it('in links are reported together', () => {
    expect(
      mistakesOf(withLinks({ from: 'x', to: 'y' }, { apiName: 'a', foreignKey: 'z' })).map(
        ({ path }) => path,
      ),
    ).toEqual(['linkTypes[0].from', 'linkTypes[0].to', 'linkTypes[1].foreignKey'])
  })
})
