/** An example of what each operation takes and answers, for `openapi.json`. */

interface Example {
  readonly request?: unknown
  readonly response: unknown
}

const RID = 'ri.ontology.main.ontology.0f1f5c0e-7b1a-4c57-9a53-2f0a4c1d2b3e'
const TYPE_RID = 'ri.ontology.main.object-type.5f0a7c51-1c1e-4a53-8f57-9a1d2b3e4c5f'
const TOKEN = 'v1.AVWsPDbJqSQWhe8cFIZ57IyQD7z1TeBp'

const PROPERTIES = {
  id: 'ZRH',
  name: 'Zurich Airport',
  elevation: 1416,
  names: [{ text: 'Flughafen Zürich', language: 'de' }],
}
const RECORD = {
  rid: 'ri.phonograph2-objects.main.object.9d4dad73-221e-8806-9618-5b7b4692c8b1',
  properties: PROPERTIES,
}
const COUNTRY = {
  rid: 'ri.phonograph2-objects.main.object.4ef11718-0955-8798-ae28-46054840b194',
  properties: { code: 'CH', name: 'Switzerland' },
}
const FAMILY_RECORD = {
  primaryKey: 'ZRH',
  objectType: 'airport',
  title: 'Zurich Airport',
  properties: PROPERTIES,
}
const ONTOLOGY = { apiName: 'aviation', displayName: 'Aviation', description: '', rid: RID }
const OBJECT_TYPE = {
  apiName: 'country',
  status: 'ACTIVE',
  visibility: 'NORMAL',
  primaryKey: ['code'],
  properties: { code: { baseType: 'String' }, name: { baseType: 'String' } },
  rid: TYPE_RID,
}
const LINK_TYPE = {
  apiName: 'country',
  displayName: 'country',
  status: 'ACTIVE',
  objectTypeApiName: 'country',
  cardinality: 'ONE',
  foreignKeyPropertyApiName: 'countryCode',
}
const DEFINITION = {
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
  ...DEFINITION,
  rid: RID,
  objectTypes: DEFINITION.objectTypes.map((type) => ({ ...type, rid: TYPE_RID })),
}

const EXAMPLES: Readonly<Record<string, Example>> = {
  healthz: { response: { status: 'ok' } },
  readyz: { response: { status: 'ok' } },
  listOntologies: { response: { data: [ONTOLOGY] } },
  getOntology: { response: ONTOLOGY },
  listObjectTypes: { response: { data: [OBJECT_TYPE], nextPageToken: TOKEN } },
  getObjectType: { response: OBJECT_TYPE },
  listOutgoingLinkTypes: { response: { data: [LINK_TYPE] } },
  getOutgoingLinkType: { response: LINK_TYPE },
  listObjects: { response: { data: [RECORD], nextPageToken: TOKEN, totalCount: '44' } },
  getObject: { response: RECORD },
  listLinkedObjects: { response: { data: [COUNTRY] } },
  getLinkedObject: { response: COUNTRY },
  searchObjectsRevision1: {
    request: {
      query: { type: 'prefix', field: 'properties.name', value: 'zur' },
      orderBy: { fields: [{ field: 'properties.elevation', direction: 'desc' }] },
      fields: ['name', 'elevation'],
      pageSize: 100,
    },
    response: { data: [RECORD], totalCount: '1' },
  },
  aggregateObjects: {
    request: {
      aggregation: [{ type: 'count' }, { type: 'max', field: 'properties.elevation' }],
      groupBy: [{ type: 'exact', field: 'properties.countryCode' }],
    },
    response: {
      data: [
        {
          group: { countryCode: 'CH' },
          metrics: [
            { name: 'count', value: 1 },
            { name: 'max_elevation', value: 1416 },
          ],
        },
      ],
    },
  },
  searchObjects: {
    request: {
      query: {
        type: 'and',
        value: [
          { type: 'gte', field: 'elevation', value: 1000 },
          { type: 'eq', field: 'names:language', value: 'de' },
        ],
      },
      pageSize: 10,
    },
    response: { data: [FAMILY_RECORD], nextPageToken: TOKEN },
  },
  getObjectByKey: { response: FAMILY_RECORD },
  getObjectProperties: {
    response: {
      properties: [{ propertyId: 'name', propertyType: 'name', value: 'Zurich Airport' }],
    },
  },
  listLinkedObjectsByKey: {
    response: { data: [{ primaryKey: 'CH', objectType: 'country', properties: { code: 'CH' } }] },
  },
  applyOntology: { request: DEFINITION, response: SAVED_DEFINITION },
  getOntologyDefinition: { response: SAVED_DEFINITION },
  writeObjects: {
    request:
      '{"put": {"isbn": "9780131103627", "title": "The C Programming Language"}}\n{"delete": "0"}',
    response: { version: 7, put: 1, deleted: 0 },
  },
  startReplacement: { response: { replacement: '12' } },
  publishReplacement: { response: { version: 9, put: 1204, deleted: 1198 } },
  abandonReplacement: { response: { replacement: '12' } },
  exportObjects: {
    response: '{"id":"ZRH","name":"Zurich Airport"}\n{"$end":{"count":1,"version":7}}\n',
  },
}

type Media = Record<string, { example?: unknown }>

interface Operation {
  readonly operationId?: string
  readonly requestBody?: { readonly content: Media }
  readonly responses?: Readonly<Record<string, { readonly content?: Media }>>
}

/** Puts the examples of every operation into a finished OpenAPI document. */
export function addExamples(document: { readonly paths?: object }): void {
  for (const methods of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(methods as Record<string, Operation>)) {
      const example = EXAMPLES[operation.operationId ?? '']
      if (example === undefined) continue
      setExample(operation.requestBody?.content, example.request)
      setExample(operation.responses?.['200']?.content, example.response)
    }
  }
}

function setExample(content: Media = {}, example: unknown): void {
  for (const media of Object.values(content)) media.example = example
}
