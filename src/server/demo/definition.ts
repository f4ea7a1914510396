import type { OntologyDefinition } from '../../ontology/definition-schema.ts'

/** The demo: a few airports and their countries, served in both revisions. */
export const DEMO_DEFINITION: OntologyDefinition = {
  apiName: 'aviation',
  displayName: 'Aviation',
  description: 'A small demo: airports and the countries they lie in.',
  families: ['gotham'],
  objectTypes: [
    {
      apiName: 'airport',
      displayName: 'Airport',
      primaryKey: 'iata',
      titleProperty: 'name',
      properties: {
        iata: { type: 'string', description: 'IATA code' },
        name: { type: 'string' },
        city: { type: 'string' },
        countryCode: { type: 'string', description: 'ISO 3166-1 alpha-2' },
        elevationFeet: { type: 'integer' },
        location: { type: 'geopoint' },
        names: {
          type: 'array',
          description: 'Names in several languages',
          items: {
            type: 'struct',
            fields: { text: { type: 'string' }, language: { type: 'string' } },
          },
        },
      },
    },
    {
      apiName: 'country',
      displayName: 'Country',
      primaryKey: 'code',
      titleProperty: 'name',
      properties: {
        code: { type: 'string', description: 'ISO 3166-1 alpha-2' },
        name: { type: 'string' },
        capital: { type: 'string' },
      },
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
