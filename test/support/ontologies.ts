/** Ontologies for tests. */
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'

/** One type with an integer key. */
export const NUMBERS: OntologyDefinition = {
  apiName: 'numbers',
  families: ['family'],
  objectTypes: [
    {
      apiName: 'number',
      primaryKey: 'n',
      properties: { n: { type: 'integer' }, text: { type: 'string' } },
    },
  ],
}

/** Returns consecutive objects of the type `number`. */
export function numbers(count: number, from = 0): { n: number }[] {
  return Array.from({ length: count }, (_, index) => ({ n: from + index }))
}

/** An ontology with every kind of property, and a link type. */
export const AVIATION: OntologyDefinition = {
  apiName: 'aviation',
  displayName: 'Aviation',
  families: ['gotham'],
  objectTypes: [
    {
      apiName: 'airport',
      displayName: 'Airport',
      primaryKey: 'id',
      titleProperty: 'name',
      properties: {
        id: { type: 'string' },
        name: { type: 'string' },
        elevation: { type: 'integer' },
        passengers: { type: 'long' },
        opened: { type: 'date' },
        location: { type: 'geopoint' },
        aliases: { type: 'array', items: { type: 'string' } },
        names: {
          type: 'array',
          items: {
            type: 'struct',
            fields: { text: { type: 'string' }, language: { type: 'string' } },
          },
        },
        countryCode: { type: 'string' },
      },
    },
    {
      apiName: 'country',
      primaryKey: 'code',
      properties: { code: { type: 'string' }, name: { type: 'string' } },
    },
  ],
  linkTypes: [
    {
      apiName: 'country',
      reverseApiName: 'airports',
      from: 'airport',
      to: 'country',
      foreignKey: 'countryCode',
    },
  ],
}
