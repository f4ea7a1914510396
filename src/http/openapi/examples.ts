/**
 * An example request and response of every operation, for `openapi.json`. The requests work on the
 * demo data, and a test sends them.
 */
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { ADMIN_EXAMPLES } from './admin-examples.ts'
import {
  AIRPORT_RID,
  CITIES,
  GROUPS,
  LINK_TYPE,
  ONTOLOGY,
  RID,
  TOKEN,
  TYPE_RID,
} from './demo-names.ts'
import { OAUTH_EXAMPLES } from './oauth-examples.ts'
import { V2_EXAMPLES } from './v2-examples.ts'
import { V2_INTERFACE_EXAMPLES } from './v2-interface-examples.ts'
import { WRITE_EXAMPLES } from './write-examples.ts'

export interface Example {
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly request?: unknown
  readonly response: unknown
}

const NAME_AND_RUNWAY = { iata: 'ZRH', name: 'Zurich Airport', runwayFeet: 12_139 }
const AIRPORT = { rid: AIRPORT_RID, properties: NAME_AND_RUNWAY }
const COUNTRY = {
  rid: 'ri.phonograph2-objects.main.object.a0e672de-2d11-8013-b4ac-64b44f284b8e',
  properties: { code: 'CH', name: 'Switzerland', capital: 'Bern' },
}
const FAMILY_AIRPORT = {
  primaryKey: 'ZRH',
  objectType: 'airport',
  title: 'Zurich Airport',
  properties: {
    iata: 'ZRH',
    icao: 'LSZH',
    name: 'Zurich Airport',
    countryCode: 'CH',
    runwayFeet: 12_139,
    location: { type: 'Point', coordinates: [8.561746, 47.450604] },
  },
}
const FAMILY_COUNTRY = {
  primaryKey: 'AD',
  objectType: 'country',
  title: 'Andorra',
  properties: {
    code: 'AD',
    name: 'Andorra',
    areaKm2: 468,
    currencies: [{ code: 'EUR', name: 'Euro', symbol: '€' }],
  },
}
const OBJECT_TYPE = {
  apiName: 'airport',
  displayName: 'Airport',
  status: 'ACTIVE',
  visibility: 'NORMAL',
  primaryKey: ['iata'],
  properties: {
    iata: { description: 'IATA code', baseType: 'String' },
    name: { baseType: 'String' },
    runwayFeet: { description: 'Length of the longest runway', baseType: 'Integer' },
  },
  rid: TYPE_RID,
}
/** The ontology that examples write to; others read that of the demo. */
export const LIBRARY_DEFINITION: OntologyDefinition = {
  apiName: 'library',
  families: ['books'],
  objectTypes: [
    {
      apiName: 'book',
      primaryKey: 'isbn',
      titleProperty: 'title',
      properties: {
        isbn: { type: 'string' },
        title: { type: 'string' },
        published: { type: 'date' },
        authors: { type: 'array', items: { type: 'string' } },
      },
    },
  ],
}
const SAVED_DEFINITION = {
  ...LIBRARY_DEFINITION,
  rid: RID,
  objectTypes: LIBRARY_DEFINITION.objectTypes.map((type) => ({ ...type, rid: TYPE_RID })),
}
const BOOKS = { ontology: 'library', objectType: 'book' }
const REPLACEMENT = { ...BOOKS, replacement: '1' }

export const EXAMPLES: Readonly<Record<string, Example>> = {
  ...V2_EXAMPLES,
  ...V2_INTERFACE_EXAMPLES,
  ...WRITE_EXAMPLES,
  healthz: { response: { status: 'ok' } },
  readyz: { response: { status: 'ok' } },
  ...OAUTH_EXAMPLES,
  ...ADMIN_EXAMPLES,
  listOntologies: { response: { data: [ONTOLOGY] } },
  getOntology: { response: ONTOLOGY },
  listObjectTypes: {
    parameters: { pageSize: 1 },
    response: { data: [OBJECT_TYPE], nextPageToken: TOKEN },
  },
  getObjectType: { response: OBJECT_TYPE },
  listOutgoingLinkTypes: { parameters: CITIES, response: { data: [LINK_TYPE] } },
  getOutgoingLinkType: {
    parameters: CITIES,
    response: LINK_TYPE,
  },
  listObjects: {
    parameters: {
      pageSize: 1,
      properties: 'name,runwayFeet',
      orderBy: 'properties.runwayFeet:asc',
      filters: { 'properties.countryCode.eq': 'CH', 'properties.runwayFeet.gte': '12000' },
    },
    response: { data: [AIRPORT], nextPageToken: TOKEN, totalCount: '2' },
  },
  getObject: {
    parameters: { properties: 'name,runwayFeet' },
    response: AIRPORT,
  },
  listLinkedObjects: {
    parameters: { properties: 'name,capital' },
    response: { data: [COUNTRY] },
  },
  getLinkedObject: {
    parameters: { properties: 'name,capital' },
    response: COUNTRY,
  },
  searchObjectsRevision1: {
    request: {
      query: { type: 'prefix', field: 'properties.name', value: 'zur' },
      orderBy: { fields: [{ field: 'properties.runwayFeet', direction: 'desc' }] },
      fields: ['name', 'runwayFeet'],
      pageSize: 100,
    },
    response: { data: [AIRPORT], totalCount: '1' },
  },
  aggregateObjects: {
    request: {
      aggregation: [{ type: 'count' }, { type: 'max', field: 'properties.runwayFeet' }],
      query: { type: 'eq', field: 'properties.scheduledService', value: true },
      groupBy: [{ type: 'exact', field: 'properties.countryCode', maxGroupCount: 1 }],
    },
    response: GROUPS,
  },
  searchObjects: {
    parameters: { objectType: 'country' },
    request: {
      query: {
        type: 'and',
        value: [
          { type: 'lt', field: 'areaKm2', value: 50_000 },
          { type: 'eq', field: 'currencies:code', value: 'EUR' },
        ],
      },
      pageSize: 1,
    },
    response: { data: [FAMILY_COUNTRY], nextPageToken: TOKEN },
  },
  getObjectByKey: { response: FAMILY_AIRPORT },
  getObjectProperties: {
    response: {
      properties: [
        { propertyId: 'iata', propertyType: 'iata', value: 'ZRH' },
        { propertyId: 'name', propertyType: 'name', value: 'Zurich Airport' },
      ],
    },
  },
  listLinkedObjectsByKey: {
    parameters: { linkType: 'country' },
    response: {
      data: [
        {
          primaryKey: 'CH',
          objectType: 'country',
          title: 'Switzerland',
          properties: { code: 'CH', name: 'Switzerland', capital: 'Bern' },
        },
      ],
    },
  },
  applyOntology: {
    parameters: { ontology: 'library' },
    request: LIBRARY_DEFINITION,
    response: SAVED_DEFINITION,
  },
  getOntologyDefinition: { parameters: { ontology: 'library' }, response: SAVED_DEFINITION },
  writeObjects: {
    parameters: BOOKS,
    request:
      '{"put": {"isbn": "9780131103627", "title": "The C Programming Language"}}\n{"delete": "0"}',
    response: { version: 1, put: 1, deleted: 0 },
  },
  startReplacement: { parameters: BOOKS, response: { replacement: '1' } },
  publishReplacement: { parameters: REPLACEMENT, response: { version: 2, put: 0, deleted: 1 } },
  abandonReplacement: { parameters: REPLACEMENT, response: { replacement: '1' } },
  exportObjects: {
    parameters: {
      format: 'ndjson',
      where: '{"type":"eq","field":"properties.icao","value":"LSZH"}',
      select: 'name,runwayFeet',
    },
    response: '{"iata":"ZRH","name":"Zurich Airport","runwayFeet":12139}\n',
  },
}
