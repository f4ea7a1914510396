/**
 * Example requests of the operations, for `openapi.json`. They work on the demo data, and a test sends
 * them. Examples of responses follow from their schemas, see `sample-response.ts`.
 */
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'

export interface Example {
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly request?: unknown
  /** Set if the schema does not say enough about the response. */
  readonly response?: unknown
}

/** What path parameters are in the examples that do not say otherwise. */
export const DEMO_PATH: Readonly<Record<string, string>> = {
  ontology: 'aviation',
  apiFamily: 'gotham',
  objectType: 'airport',
  primaryKey: 'ZRH',
  linkType: 'country',
  linkedObjectPrimaryKey: 'CH',
  interfaceType: 'Place',
  valueType: 'countryCode',
  interfaceLinkType: 'country',
  actionType: 'delete-country',
  actionTypeRid: 'ri.ontology.main.action-type.6a1f0c39-0d5e-8c1b-9a53-4be1f0aa7c10',
  objectSetRid: 'ri.object-set.main.temporary-object-set.4f7a1d0e-2c6b-4e39-9f85-b1c0d2e3f4a5',
  policy: 'swiss',
  id: '5f0a7c51-1c1e-4a53-8f57-9a1d2b3e4c5f',
  view: '3b1e9d52-7c0a-4f6e-9d41-8a2c5b7e0f13',
  ticket: 'k1mYJ0oQ2Zr8h3Vd5sXcNq7wEt9uLb4aGf6pRi0TzAB',
  replacement: '1',
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

const LIBRARY = { ontology: 'library' }
const BOOKS = { ...LIBRARY, objectType: 'book' }
const SHOP_DATABASE = { ...LIBRARY, source: 'shop-database' }
const ISBN = '9780131103627'
const BOOK = { ...BOOKS, primaryKey: ISBN }
const CREATE_BOOK = { ...LIBRARY, actionType: 'create-book' }
const MODIFY_BOOK = { ...LIBRARY, actionType: 'modify-book' }

const SWISS_AIRPORTS = {
  type: 'filter',
  objectSet: { type: 'base', objectType: 'airport' },
  where: { type: 'eq', field: 'countryCode', value: 'CH' },
}
const PLACES = {
  type: 'filter',
  objectSet: { type: 'interfaceBase', interfaceType: 'Place' },
  where: { type: 'containsAllTerms', field: 'name', value: 'zurich airport' },
}
const LOAD_PLACES = {
  request: {
    objectSet: PLACES,
    select: ['name'],
    orderBy: { fields: [{ field: 'name', direction: 'asc' }] },
    excludeRid: true,
    pageSize: 1,
  },
}
const AGGREGATION = {
  aggregation: [
    { type: 'count', direction: 'DESC' },
    { type: 'max', field: 'runwayFeet' },
    { type: 'approximatePercentile', field: 'runwayFeet', approximatePercentile: 95 },
  ],
  groupBy: [{ type: 'exact', field: 'countryCode', maxGroupCount: 1 }],
}

/** The client that the examples of OAuth are sent as. */
const CLIENT = {
  client_id: 'c59a1c4a2d0f4f1f8f0b6d3e7a905c2b',
  client_secret: 'oqs_client_Yp0mXo0yq3r3vQkEJ6n1m5gkq8Jr2dZ0bWc5e1aTt7U',
}

export const EXAMPLES: Readonly<Record<string, Example>> = {
  getMetrics: {
    response:
      '# HELP oqs_objects Objects of a type.\n# TYPE oqs_objects gauge\noqs_objects{ontology="aviation",type="country"} 250\n',
  },

  // OAuth
  getToken: {
    request: { grant_type: 'client_credentials', ...CLIENT, scope: 'api:use-ontologies-read' },
  },
  revokeToken: {
    request: { ...CLIENT, token: 'oqs_access_1bq2mW0pTn6cJ5Yq8e3xLr7uVd4kZs9hGa0fRi2oXyA' },
  },

  // Administration
  createSession: { request: { code: DEMO_PATH['ticket'] } },
  applyOntology: {
    parameters: LIBRARY,
    request: LIBRARY_DEFINITION,
    response: LIBRARY_DEFINITION,
  },
  getOntologyDefinition: { parameters: LIBRARY, response: LIBRARY_DEFINITION },
  getOntologyChange: { parameters: LIBRARY },
  cancelOntologyChange: { parameters: LIBRARY },
  deleteObjectType: { parameters: { ...BOOKS, cascade: true } },
  deleteOntology: { parameters: { ...LIBRARY, cascade: true } },
  writeObjects: {
    parameters: BOOKS,
    request:
      '{"put": {"isbn": "9780131103627", "title": "The C Programming Language"}}\n{"delete": "0"}',
  },
  putObject: {
    parameters: BOOK,
    request: { isbn: ISBN, title: 'The C Programming Language', authors: ['Kernighan', 'Ritchie'] },
  },
  patchObject: { parameters: BOOK, request: { published: '1988-03-22', authors: null } },
  deleteObject: { parameters: { ...BOOKS, primaryKey: '9780201633610' } },
  deleteByQuery: {
    parameters: BOOKS,
    request: { query: { type: 'eq', field: 'properties.title', value: 'Algorithms' } },
  },
  applyTransactions: {
    parameters: SHOP_DATABASE,
    request: '{"objectType": "book"}\n{"delete": "0"}\n{"commit": "00000016B374D848"}',
  },
  reportSource: {
    parameters: SHOP_DATABASE,
    request: {
      state: 'following',
      once: false,
      tables: 12,
      stoppedTables: [{ table: 'public.prices', reason: 'amount cannot hold the column numeric' }],
      lagBytes: 4096,
      lagSeconds: 0.2,
      retainedBytes: 16_777_216,
    },
  },
  deleteSourceReport: { parameters: SHOP_DATABASE },
  startReplacement: { parameters: BOOKS },
  publishReplacement: { parameters: BOOKS },
  abandonReplacement: { parameters: BOOKS },
  exportObjects: {
    parameters: {
      format: 'ndjson',
      where: '{"type":"eq","field":"properties.icao","value":"LSZH"}',
      select: 'name,runwayFeet',
    },
    response: '{"iata":"ZRH","name":"Zurich Airport","runwayFeet":12139}\n',
  },
  createDownload: {
    request: {
      ontology: 'aviation',
      objectType: 'airport',
      format: 'csv',
      where: { type: 'eq', field: 'properties.icao', value: 'LSZH' },
      select: ['name', 'runwayFeet'],
    },
  },
  download: { response: 'iata,name,runwayFeet\nZRH,Zurich Airport,12139\n' },
  createSavedView: {
    request: {
      name: 'Long runways',
      description: 'Airports of Switzerland by the length of their runway.',
      address: '/airport?w=countryCode:eq:CH&o=runwayFeet:desc',
      shared: true,
    },
  },
  replaceSavedView: {
    request: {
      name: 'Swiss airports',
      address: '/airport?w=countryCode:eq:CH',
      tiles: [{ title: 'On the map', search: 'view=map', width: 2 }],
    },
  },
  createApiToken: {
    request: {
      name: 'reports',
      scopes: ['api:ontologies-read'],
      ontologies: ['aviation'],
      days: 30,
    },
  },
  createClient: {
    request: { name: 'web', public: true, redirectUris: ['http://localhost:3000/callback'] },
  },
  savePolicy: {
    request: {
      description: 'Airports in Switzerland, without their runways.',
      rights: [
        {
          ontology: 'aviation',
          objectType: 'airport',
          access: 'read',
          where: SWISS_AIRPORTS.where,
          hide: ['runwayFeet'],
        },
      ],
    },
  },
  listAuditRecords: { parameters: { operation: 'writeObjects', pageSize: 1 } },

  // Revision 1.0
  listObjectTypes: { parameters: { pageSize: 1 } },
  listObjects: {
    parameters: {
      pageSize: 1,
      properties: 'name,runwayFeet',
      orderBy: 'properties.runwayFeet:asc',
      filters: { 'properties.countryCode.eq': 'CH', 'properties.runwayFeet.gte': '12000' },
    },
  },
  getObject: { parameters: { properties: 'name,runwayFeet' } },
  listLinkedObjects: { parameters: { properties: 'name,capital' } },
  getLinkedObject: { parameters: { properties: 'name,capital' } },
  searchObjectsRevision1: {
    request: {
      query: { type: 'prefix', field: 'properties.name', value: 'zur' },
      orderBy: { fields: [{ field: 'properties.runwayFeet', direction: 'desc' }] },
      fields: ['name', 'runwayFeet'],
      pageSize: 100,
    },
  },
  aggregateObjects: {
    request: {
      aggregation: [{ type: 'count' }, { type: 'max', field: 'properties.runwayFeet' }],
      query: { type: 'eq', field: 'properties.scheduledService', value: true },
      groupBy: [{ type: 'exact', field: 'properties.countryCode', maxGroupCount: 1 }],
    },
  },
  validateAction: { request: { parameters: { objectToDeleteParameter: 'CH' } } },
  applyAction: {
    parameters: CREATE_BOOK,
    request: { parameters: { isbn: '9780201633610', title: 'Design Patterns' } },
  },
  applyActionBatch: {
    parameters: CREATE_BOOK,
    request: { requests: [{ parameters: { isbn: '9780262033848', title: 'Algorithms' } }] },
  },

  // Revision 2.0
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
  },

  // v2
  listObjectTypesV2: { parameters: { pageSize: 1 } },
  getObjectTypesByRid: {
    request: {
      requests: [
        { objectTypeRid: 'ri.ontology.main.object-type.5f0a7c51-1c1e-4a53-8f57-9a1d2b3e4c5f' },
      ],
    },
  },
  getActionTypesByRidV2: { request: { requests: [{ actionTypeRid: DEMO_PATH['actionTypeRid'] }] } },
  applyActionV2: {
    parameters: MODIFY_BOOK,
    request: {
      parameters: { objectToModifyParameter: ISBN, title: 'The C Programming Language, 2nd ed.' },
      options: { returnEdits: 'ALL_V2_WITH_DELETIONS' },
    },
  },
  applyActionBatchV2: {
    parameters: MODIFY_BOOK,
    request: {
      requests: [{ parameters: { objectToModifyParameter: ISBN, published: '1988-04-01' } }],
    },
  },
  listObjectsV2: {
    parameters: { pageSize: 1, select: 'name', orderBy: 'properties.runwayFeet:desc' },
  },
  getObjectV2: { parameters: { select: 'name,runwayFeet' } },
  searchObjectsV2: {
    request: {
      where: { type: 'containsAllTermsInOrderPrefixLastTerm', field: 'name', value: 'zur' },
      orderBy: { orderType: 'relevance', fields: [] },
      select: ['name', 'runwayFeet'],
      excludeRid: true,
      pageSize: 100,
    },
  },
  listLinkedObjectsV2: { parameters: { select: 'name', excludeRid: true } },
  getLinkedObjectV2: { parameters: { select: 'name', excludeRid: true } },
  listInterfaceObjects: { parameters: { pageSize: 1, select: 'name', excludeRid: true } },
  searchInterfaceObjects: {
    request: { where: PLACES.where, selectedSharedPropertyTypes: ['name'], pageSize: 1 },
  },
  aggregateInterfaceObjects: { request: { aggregation: [{ type: 'count', name: 'places' }] } },
  listInterfaceLinkedObjects: { parameters: { select: 'name', excludeRid: true } },
  loadObjects: {
    request: {
      objectSet: SWISS_AIRPORTS,
      orderBy: { fields: [{ field: 'runwayFeet', direction: 'asc' }] },
      selectV2: [
        { type: 'property', apiName: 'name' },
        { type: 'property', apiName: 'runwayFeet' },
      ],
      excludeRid: true,
      snapshot: true,
      pageSize: 10_000,
    },
  },
  listObjectChanges: { parameters: { since: 'now' } },
  listObjectChangesV2: { parameters: { since: 'now' } },
  sliceObjects: { parameters: { count: 2 } },
  searchObjectChangesV2: { request: { where: SWISS_AIRPORTS.where, since: 'now' } },
  loadObjectSetChanges: { request: { objectSet: SWISS_AIRPORTS, since: 'now' } },
  loadObjectsMultipleObjectTypes: LOAD_PLACES,
  loadObjectsOrInterfaces: LOAD_PLACES,
  loadLinks: { request: { objectSet: SWISS_AIRPORTS, links: ['country'] } },
  aggregateObjectsV2: { request: { ...AGGREGATION, where: SWISS_AIRPORTS.where } },
  aggregateObjectsBatch: { request: { aggregations: [AGGREGATION, AGGREGATION] } },
  aggregateObjectSet: { request: { ...AGGREGATION, objectSet: SWISS_AIRPORTS } },
  createTemporaryObjectSet: { request: { objectSet: SWISS_AIRPORTS } },
  getObjectSet: { response: SWISS_AIRPORTS },
  mcp: {
    request: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'search_objects',
        arguments: { ontology: 'aviation', objectType: 'airport', words: 'zurich' },
      },
    },
    response: {
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text', text: '{"total":1,"objects":[{"iata":"ZRH"}]}' }] },
    },
  },
}
