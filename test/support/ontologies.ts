import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'

/** Ontologies that tests use. */

/** One type with an integer key: the smallest thing that can be paged. */
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

/** Objects 0 to count - 1 of the type `number`. */
export function numbers(count: number, from = 0): { n: number }[] {
  return Array.from({ length: count }, (_, index) => ({ n: from + index }))
}

/** The ontology of the service's own documentation, with every kind of property. */
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
