import { describe, expect, it } from 'vitest'
import type { ObjectTypeDefinition, OntologyDefinition } from './definition-schema.ts'
import { parseDefinition } from './parse-definition.ts'
import { visibleDefinition } from './visible-definition.ts'

const DEFINITION: OntologyDefinition = {
  apiName: 'fleet',
  rid: 'ri.ontology.main.ontology.fleet',
  sharedPropertyTypes: { label: { type: 'string' }, size: { type: 'integer' } },
  interfaceTypes: [
    { apiName: 'Named', properties: ['label'] },
    {
      apiName: 'Vehicle',
      extendsInterfaces: ['Named'],
      properties: [{ sharedProperty: 'size', required: false }],
      links: [
        { apiName: 'home', target: { objectType: 'garage' }, cardinality: 'ONE', required: false },
        { apiName: 'driver', target: { interfaceType: 'Person' }, cardinality: 'ONE' },
      ],
    },
    { apiName: 'Person', properties: ['label'] },
    { apiName: 'Unused', properties: ['size'] },
  ],
  objectTypes: [
    {
      apiName: 'car',
      rid: 'ri.ontology.main.object-type.car',
      primaryKey: 'id',
      titleProperty: 'label',
      properties: {
        id: { type: 'string' },
        label: { type: 'string' },
        seats: { type: 'integer' },
        garageId: { type: 'string' },
        driverId: { type: 'string' },
      },
      implements: {
        Vehicle: { properties: { size: 'seats' }, links: { home: 'garage', driver: 'driver' } },
      },
    },
    {
      apiName: 'garage',
      rid: 'ri.ontology.main.object-type.garage',
      primaryKey: 'id',
      properties: { id: { type: 'string' } },
    },
    {
      apiName: 'employee',
      rid: 'ri.ontology.main.object-type.employee',
      primaryKey: 'id',
      properties: { id: { type: 'string' }, label: { type: 'string' } },
      implements: { Person: {} },
    },
  ],
  linkTypes: [
    {
      apiName: 'garage',
      reverseApiName: 'cars',
      from: 'car',
      to: 'garage',
      foreignKey: 'garageId',
    },
    { apiName: 'driver', from: 'car', to: 'employee', foreignKey: 'driverId' },
  ],
}

/** Hides properties of types, or whole types, and returns what is left, parsed. */
function seen(hidden: Readonly<Record<string, readonly string[] | 'all'>>) {
  const visible = visibleDefinition(parseDefinition(DEFINITION), (type) => {
    const names = hidden[type] ?? []
    return names === 'all' ? undefined : new Set(names)
  })
  const { objectTypes, linkSides, interfaceTypes, sharedPropertyTypes } = parseDefinition(visible)
  return {
    text: JSON.stringify(visible),
    types: [...objectTypes.keys()],
    titles: [...objectTypes.values()].map(({ titleProperty }) => titleProperty),
    links: linkSides.map(({ apiName }) => apiName),
    shared: [...sharedPropertyTypes.keys()],
    interfaces: Object.fromEntries(
      [...interfaceTypes].map(([name, { implementations, allLinks }]) => [
        name,
        [...implementations.keys(), ...allLinks.keys()],
      ]),
    ),
  }
}

describe('the visible part of a definition', () => {
  it('has all types, and the interfaces that one of them implements', () => {
    expect(seen({})).toMatchObject({
      types: ['car', 'garage', 'employee'],
      titles: ['label', undefined, undefined],
      links: ['garage', 'cars', 'driver'],
      shared: ['label', 'size'],
      interfaces: { Named: ['car'], Vehicle: ['car', 'home', 'driver'], Person: ['employee'] },
    })
    expect(seen({}).interfaces).not.toHaveProperty('Unused')
  })

  it('has no links to a hidden type, not even in interfaces', () => {
    const { text, links, interfaces } = seen({ garage: 'all' })
    expect(text).not.toMatch(/"garage"|"cars"|"home"/)
    expect(links).toEqual(['driver'])
    expect(interfaces['Vehicle']).toEqual(['car', 'driver'])
  })

  it('has no links by a hidden foreign key, and no interface that requires one', () => {
    const { links, interfaces } = seen({ car: ['driverId'] })
    expect(links).toEqual(['garage', 'cars'])
    expect(interfaces).toEqual({ Person: ['employee'] })
  })

  it('has no title that is hidden, and no interface that shows it', () => {
    const { text, titles, interfaces, shared } = seen({ car: ['label'], employee: ['label'] })
    expect(titles).toEqual([undefined, undefined, undefined])
    expect([interfaces, shared]).toEqual([{}, []])
    expect(text).not.toContain('label')
  })

  it('drops an implementation whose link leads to a type that lost its own', () => {
    const { interfaces } = seen({ employee: ['label'] })
    // Person has no implementation left, so the link that leads to it is gone.
    expect(interfaces).toEqual({ Named: ['car'], Vehicle: ['car', 'home'] })
  })
  it('keeps names that only a hidden interface of the type gives', () => {
    const [car, ...others] = DEFINITION.objectTypes as [ObjectTypeDefinition, ObjectTypeDefinition]
    const link = { target: { objectType: 'garage' }, cardinality: 'ONE' } as const
    const whole = parseDefinition({
      ...DEFINITION,
      sharedPropertyTypes: { name: { type: 'string' }, size: { type: 'integer' } },
      interfaceTypes: [
        { apiName: 'Kept', properties: ['name'], links: [{ apiName: 'home', ...link }] },
        { apiName: 'Hidden', extendsInterfaces: ['Kept'], properties: ['size'] },
      ],
      objectTypes: [
        {
          ...car,
          // The property with the same name is not the one that implements the interface.
          properties: { ...car.properties, name: { type: 'string' } },
          implements: {
            Hidden: { properties: { name: 'label', size: 'seats' }, links: { home: 'garage' } },
            Kept: {},
          },
        },
        ...others.map(({ implements: _, ...type }) => type),
      ],
    })
    const visible = visibleDefinition(whole, (type) => new Set(type === 'car' ? ['seats'] : []))
    const { interfaceTypes } = parseDefinition(visible)
    expect([...interfaceTypes.keys()]).toEqual(['Kept'])
    const kept = interfaceTypes.get('Kept')?.implementations.get('car')
    expect([...(kept?.properties ?? [])]).toEqual([['name', 'label']])
    expect([...(kept?.links ?? [])]).toEqual([['home', 'garage']])
  })
})
