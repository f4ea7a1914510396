/** An ontology with interfaces, for tests. */
import { expect } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { type Service, startService } from './service.ts'

/** Three types implement `Place`, each with other names; `harbour` is never written to. */
export const PLACES: OntologyDefinition = {
  apiName: 'places',
  sharedPropertyTypes: {
    placeName: { type: 'string', displayName: 'Name of the place' },
    height: { type: 'integer' },
    opened: { type: 'date', description: 'The first day' },
  },
  interfaceTypes: [
    {
      apiName: 'Named',
      displayName: 'Something with a name',
      properties: ['placeName'],
    },
    {
      apiName: 'Place',
      extendsInterfaces: ['Named'],
      properties: [
        { sharedProperty: 'height', required: false },
        { sharedProperty: 'opened', required: false },
      ],
      links: [
        {
          apiName: 'state',
          displayName: 'State',
          target: { interfaceType: 'Named' },
          cardinality: 'ONE',
          required: false,
        },
      ],
    },
  ],
  objectTypes: [
    {
      apiName: 'airport',
      primaryKey: 'id',
      titleProperty: 'name',
      properties: {
        id: { type: 'string' },
        name: { type: 'string' },
        elevation: { type: 'integer' },
        opened: { type: 'date' },
        countryCode: { type: 'string' },
        runways: { type: 'integer' },
      },
      implements: {
        Place: {
          properties: { placeName: 'name', height: 'elevation' },
          links: { state: 'country' },
        },
      },
    },
    {
      apiName: 'station',
      primaryKey: 'number',
      properties: {
        number: { type: 'integer' },
        placeName: { type: 'string' },
        height: { type: 'integer' },
        tracks: { type: 'integer' },
      },
      implements: { Place: {} },
    },
    {
      apiName: 'harbour',
      primaryKey: 'id',
      properties: { id: { type: 'string' }, placeName: { type: 'string' } },
      implements: { Place: {} },
    },
    {
      apiName: 'country',
      primaryKey: 'code',
      properties: { code: { type: 'string' }, label: { type: 'string' } },
      implements: { Named: { properties: { placeName: 'label' } } },
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

export const AIRPORTS = [
  { id: 'A', name: 'Zebra Field', elevation: 30, opened: '1950-01-01', countryCode: 'CH' },
  { id: 'B', name: 'Alpha Field', elevation: 10, countryCode: 'DE', runways: 2 },
  { id: 'C', name: 'Mike Field' },
]

export const STATIONS = [
  { number: 1, placeName: 'North', height: 20, tracks: 4 },
  { number: 2, placeName: 'South', height: 10 },
]

export const COUNTRIES = [
  { code: 'CH', label: 'Switzerland' },
  { code: 'DE', label: 'Germany' },
]

/** Starts a service with the ontology and its objects. */
export async function startPlaces(): Promise<{ service: Service; ontologyRid: string }> {
  const service = await startService()
  const { status, body } = await service.apply(PLACES)
  expect(status).toBe(200)
  await service.put('places', 'country', COUNTRIES)
  await service.put('places', 'airport', AIRPORTS)
  await service.put('places', 'station', STATIONS)
  return { service, ontologyRid: body.rid }
}
