import { describe, expect, it } from 'vitest'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectTypeDefinition, OntologyDefinition } from './definition-schema.ts'
import type { Mistake } from './mistakes.ts'
import { parseDefinition } from './parse-definition.ts'

const AIRPORT: ObjectTypeDefinition = {
  apiName: 'airport',
  primaryKey: 'id',
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    elevation: { type: 'integer' },
    countryCode: { type: 'string' },
  },
  implements: { Place: { properties: { placeName: 'name' } } },
}
const STATION: ObjectTypeDefinition = {
  apiName: 'station',
  primaryKey: 'id',
  properties: { id: { type: 'integer' }, placeName: { type: 'string' } },
  implements: { Place: {} },
}
const COUNTRY: ObjectTypeDefinition = {
  apiName: 'country',
  primaryKey: 'code',
  properties: { code: { type: 'string' } },
}

const DEFINITION: OntologyDefinition = {
  apiName: 'travel',
  rid: 'ri.ontology.main.ontology.1',
  objectTypes: [STATION, AIRPORT, COUNTRY],
  linkTypes: [
    {
      apiName: 'country',
      reverseApiName: 'airports',
      from: 'airport',
      to: 'country',
      foreignKey: 'countryCode',
    },
  ],
  sharedPropertyTypes: { placeName: { type: 'string' }, height: { type: 'integer' } },
  interfaceTypes: [
    {
      apiName: 'Place',
      properties: ['placeName', { sharedProperty: 'height', required: false }],
      links: [
        {
          apiName: 'country',
          target: { objectType: 'country' },
          cardinality: 'ONE',
          required: false,
        },
      ],
    },
  ],
}

const withTypes = (...objectTypes: ObjectTypeDefinition[]) => ({ ...DEFINITION, objectTypes })
const place = DEFINITION.interfaceTypes?.[0]

function mistakesOf(definition: OntologyDefinition): readonly Mistake[] {
  try {
    parseDefinition(definition)
  } catch (error) {
    if (error instanceof ObjectQueryError) return error.parameters['mistakes'] as Mistake[]
    throw error
  }
  return []
}

describe('interface types', () => {
  it('know the object types that implement them, by name', () => {
    const parsed = parseDefinition(DEFINITION).interfaceTypes.get('Place')
    expect([...(parsed?.implementations.keys() ?? [])]).toEqual(['airport', 'station'])
    const airport = parsed?.implementations.get('airport')
    expect(Object.fromEntries(airport?.properties ?? [])).toEqual({ placeName: 'name' })
    expect(Object.fromEntries(airport?.links ?? [])).toEqual({ country: 'country' })
    const station = parsed?.implementations.get('station')
    expect(Object.fromEntries(station?.properties ?? [])).toEqual({ placeName: 'placeName' })
  })

  it('keep their RIDs', () => {
    const rid = () => parseDefinition(DEFINITION).interfaceTypes.get('Place')?.rid
    expect(rid()).toMatch(/^ri\.ontology\.main\.interface\.[0-9a-f-]{36}$/)
    expect(rid()).toBe(rid())
  })

  it('inherit, and pass on their implementations', () => {
    const parsed = parseDefinition({
      ...withTypes({ ...AIRPORT, implements: { Port: { properties: { placeName: 'name' } } } }),
      linkTypes: [],
      interfaceTypes: [
        { apiName: 'Port', extendsInterfaces: ['Place'], properties: ['elevation'] },
        { apiName: 'Place', properties: ['placeName'] },
      ],
      sharedPropertyTypes: { placeName: { type: 'string' }, elevation: { type: 'integer' } },
    }).interfaceTypes
    const port = parsed.get('Port')
    expect([...(port?.properties.keys() ?? [])]).toEqual(['elevation'])
    expect([...(port?.allProperties.keys() ?? [])].sort()).toEqual(['elevation', 'placeName'])
    expect(port?.allExtendsInterfaces).toEqual(['Place'])
    expect(parsed.get('Place')?.implementations.has('airport')).toBe(true)
    const { properties } = port?.implementations.get('airport') ?? {}
    expect(Object.fromEntries(properties ?? [])).toEqual({
      elevation: 'elevation',
      placeName: 'name',
    })
  })

  it('leave out an optional property that has another type by chance', () => {
    const properties = { ...STATION.properties, height: { type: 'string' as const } }
    const parsed = parseDefinition(withTypes({ ...STATION, properties }, COUNTRY, AIRPORT))
    const station = parsed.interfaceTypes.get('Place')?.implementations.get('station')
    expect(station?.properties.has('height')).toBe(false)
  })
})

describe('mistakes in interfaces', () => {
  const cases: readonly [string, OntologyDefinition, string, RegExp][] = [
    [
      'a missing shared property type',
      { ...DEFINITION, sharedPropertyTypes: { placeName: { type: 'string' } } },
      'interfaceTypes[0].properties[1]',
      /no shared property type height/,
    ],
    [
      'a shared array without items',
      { ...DEFINITION, sharedPropertyTypes: { placeName: { type: 'array' } } },
      'sharedPropertyTypes.placeName',
      /an array needs items/,
    ],
    [
      'a property that is listed twice',
      {
        ...DEFINITION,
        interfaceTypes: [{ apiName: 'Place', properties: ['placeName', 'placeName'] }],
      },
      'interfaceTypes[0].properties[1]',
      /listed twice/,
    ],
    [
      'two interfaces of one name',
      { ...DEFINITION, interfaceTypes: [{ apiName: 'Place' }, { apiName: 'Place' }] },
      'interfaceTypes[1].apiName',
      /defined twice/,
    ],
    [
      'the name of an object type',
      { ...DEFINITION, interfaceTypes: [{ apiName: 'airport' }] },
      'interfaceTypes[0].apiName',
      /an object type is named airport/,
    ],
    [
      'an unknown parent',
      { ...DEFINITION, interfaceTypes: [{ apiName: 'Place', extendsInterfaces: ['Thing'] }] },
      'interfaceTypes[0].extendsInterfaces[0]',
      /no interface type Thing/,
    ],
    [
      'a cycle',
      {
        ...DEFINITION,
        interfaceTypes: [
          { apiName: 'Place', extendsInterfaces: ['Thing'] },
          { apiName: 'Thing', extendsInterfaces: ['Place'] },
        ],
      },
      'interfaceTypes[1].extendsInterfaces[0]',
      /Place extends this interface type/,
    ],
    [
      'an unknown link target',
      {
        ...DEFINITION,
        interfaceTypes: [
          {
            ...place,
            apiName: 'Place',
            links: [{ apiName: 'next', target: { interfaceType: 'Nowhere' }, cardinality: 'MANY' }],
          },
        ],
      },
      'interfaceTypes[0].links[0].target.interfaceType',
      /no interface type Nowhere/,
    ],
    [
      'an unknown interface',
      withTypes({ ...AIRPORT, implements: { Thing: {} } }),
      'objectTypes[0].implements.Thing',
      /no interface type Thing/,
    ],
    [
      'a property that the interface does not have',
      withTypes({ ...AIRPORT, implements: { Place: { properties: { name: 'name' } } } }),
      'objectTypes[0].implements.Place.properties.name',
      /the interface has no property name/,
    ],
    [
      'a property that the object type does not have',
      withTypes({ ...AIRPORT, implements: { Place: { properties: { placeName: 'title' } } } }),
      'objectTypes[0].implements.Place.properties.placeName',
      /airport has no property title/,
    ],
    [
      'a required property without an implementation',
      withTypes({ ...AIRPORT, implements: { Place: {} } }, COUNTRY),
      'objectTypes[0].implements.Place.properties',
      /requires placeName/,
    ],
    [
      'another type',
      withTypes(
        { ...AIRPORT, implements: { Place: { properties: { placeName: 'elevation' } } } },
        COUNTRY,
      ),
      'objectTypes[0].implements.Place.properties.placeName',
      /elevation has type integer, but placeName has type string/,
    ],
    [
      'a link to another type',
      {
        ...DEFINITION,
        interfaceTypes: [
          {
            ...place,
            apiName: 'Place',
            links: [{ apiName: 'country', target: { objectType: 'station' }, cardinality: 'ONE' }],
          },
        ],
        objectTypes: [AIRPORT, COUNTRY, { ...STATION, implements: {} }],
      },
      'objectTypes[0].implements.Place.links.country',
      /leads to country, not to station/,
    ],
  ]

  it.each(cases)('%s', (_, definition, path, reason) => {
    // Types that a case leaves out have no links.
    const names = new Set(definition.objectTypes.map(({ apiName }) => apiName))
    const linkTypes = (definition.linkTypes ?? []).filter((link) => names.has(link.to))
    const interfaceTypes = definition.interfaceTypes?.map((type) => ({
      ...type,
      links: type.links?.filter(
        ({ target }) => 'interfaceType' in target || names.has(target.objectType),
      ),
    }))
    const mistakes = mistakesOf({ ...definition, linkTypes, ...{ interfaceTypes } } as never)
    expect(mistakes).toContainEqual({ path, reason: expect.stringMatching(reason) })
  })

  it('are found if inheritance multiplies the properties', () => {
    const names = Array.from({ length: 900 }, (_, n) => `p${n}`)
    const mistakes = mistakesOf({
      apiName: 'wide',
      objectTypes: [],
      sharedPropertyTypes: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      interfaceTypes: Array.from({ length: 100 }, (_, n) => ({
        apiName: `I${n}`,
        properties: n === 0 ? names : [],
        extendsInterfaces: n === 0 ? [] : [`I${n - 1}`],
      })),
    })
    expect(mistakes).toEqual([
      { path: 'interfaceTypes', reason: expect.stringMatching(/more than 30000/) },
    ])
  })
})
