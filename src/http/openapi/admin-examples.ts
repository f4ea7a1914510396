/** The examples of administration: counts, sessions, downloads, tokens, clients, policies, status. */

const CODE = 'k1mYJ0oQ2Zr8h3Vd5sXcNq7wEt9uLb4aGf6pRi0TzAB'
const TOKEN_ID = '5f0a7c51-1c1e-4a53-8f57-9a1d2b3e4c5f'
const CLIENT_ID = '8c1f2a94d7e05b36a1c4f7d20b9e6358'
const CREATED_AT = '2026-01-31T12:00:00.000Z'

const TOKEN = {
  id: TOKEN_ID,
  name: 'reports',
  scopes: ['api:ontologies-read'],
  ontologies: ['aviation'],
  createdAt: CREATED_AT,
  expiresAt: '2026-03-02T12:00:00.000Z',
  state: 'active',
}
const CLIENT = {
  id: CLIENT_ID,
  name: 'web',
  scopes: ['api:ontologies-read'],
  createdAt: CREATED_AT,
  public: true,
  redirectUris: ['http://localhost:3000/callback'],
}

const POLICY_BODY = {
  description: 'Airports in Switzerland, without their runways.',
  rights: [
    {
      ontology: 'aviation',
      objectType: 'airport',
      access: 'read',
      where: { type: 'eq', field: 'countryCode', value: 'CH' },
      hide: ['runwayFeet'],
    },
  ],
}
const POLICY = { name: 'swiss', ...POLICY_BODY }

const CHANGE = {
  id: '0b8e7a7e-5a6f-4a0e-9d5c-3f1c7a2b9e10',
  ontologyRid: 'ri.ontology.main.ontology.3a7d7a0e-7a46-4b7b-9f5e-2d6d1c0b4a11',
  state: 'running',
  startedAt: CREATED_AT,
  changes: [
    {
      kind: 'widened',
      objectType: 'book',
      property: 'published',
      from: 'date',
      to: 'string',
      objects: 1,
    },
  ],
  objectTypes: [],
  reasons: [],
  unfitObjects: [],
}

export const ADMIN_EXAMPLES = {
  getObjectCounts: {
    response: {
      objectTypes: {
        country: { count: 250, version: 1 },
        airport: { count: 10_131, version: 11 },
      },
    },
  },
  getOntologyChange: {
    parameters: { ontology: 'library' },
    response: {
      ...CHANGE,
      objectTypes: [{ objectType: 'book', phase: 'copying', objects: 0, totalObjects: 1 }],
    },
  },
  cancelOntologyChange: {
    parameters: { ontology: 'library' },
    response: { ...CHANGE, state: 'cancelled' },
  },
  deleteObjectType: {
    parameters: { ontology: 'library', objectType: 'book', cascade: true },
    response: { objectTypes: ['book'], linkTypes: [], objects: 0 },
  },
  deleteOntology: {
    parameters: { ontology: 'library', cascade: true },
    response: { objectTypes: [], linkTypes: [], objects: 0 },
  },
  createSession: {
    request: { code: CODE },
    response: {
      token: 'oqs_Yp0mXo0yq3r3vQkEJ6n1m5gkq8Jr2dZ0bWc5e1aTt7U',
      expiresAt: '2026-02-01T12:00:00.000Z',
    },
  },
  endSession: { response: {} },
  createDownload: {
    request: {
      ontology: 'aviation',
      objectType: 'airport',
      format: 'csv',
      where: { type: 'eq', field: 'properties.icao', value: 'LSZH' },
      select: ['name', 'runwayFeet'],
    },
    response: {
      path: `/api/admin/v1/downloads/${CODE}`,
      expiresAt: '2026-01-31T12:01:00.000Z',
    },
  },
  download: {
    parameters: { ticket: CODE },
    response: 'iata,name,runwayFeet\nZRH,Zurich Airport,12139\n',
  },
  listTokens: { response: { data: [TOKEN] } },
  createApiToken: {
    request: { name: 'reports', scopes: TOKEN.scopes, ontologies: TOKEN.ontologies, days: 30 },
    response: { ...TOKEN, token: 'oqs_1bq2mW0pTn6cJ5Yq8e3xLr7uVd4kZs9hGa0fRi2oXyA' },
  },
  revokeApiToken: {
    parameters: { id: TOKEN_ID },
    response: { ...TOKEN, revokedAt: '2026-02-10T12:00:00.000Z', state: 'revoked' },
  },
  listClients: { response: { data: [CLIENT] } },
  createClient: {
    request: { name: 'web', public: true, redirectUris: CLIENT.redirectUris },
    response: CLIENT,
  },
  revokeClient: { parameters: { id: CLIENT_ID }, response: CLIENT },
  listPolicies: { response: { data: [POLICY] } },
  getPolicy: { response: POLICY },
  savePolicy: { request: POLICY_BODY, response: POLICY },
  deletePolicy: { response: { name: 'swiss' } },
  listAuditRecords: {
    parameters: { operation: 'writeObjects', pageSize: 1 },
    response: {
      data: [
        {
          id: '4711',
          time: CREATED_AT,
          requestId: '0d4b9d1e-6a43-4f0a-9d0c-1f2a3b4c5d6e',
          operation: 'writeObjects',
          kind: 'write',
          caller: { id: 'admin', name: 'admin' },
          address: '127.0.0.1',
          ontology: 'library',
          objectTypes: ['book'],
          outcome: 'success',
          version: 1,
          put: 1,
          deleted: 0,
          keys: ['9780131103627'],
          moreKeys: 0,
        },
      ],
    },
  },
  getMetrics: {
    response:
      '# HELP oqs_objects Objects of a type.\n# TYPE oqs_objects gauge\noqs_objects{ontology="aviation",type="country"} 250\n',
  },
  getStatus: {
    response: {
      version: '1.0.0',
      startedAt: CREATED_AT,
      uptimeSeconds: 86_400,
      process: {
        residentBytes: 201_326_592,
        heapBytes: 41_943_040,
        busyMs: 1_296_000,
        idleMs: 85_104_000,
      },
      store: { kind: 'sqlite', reachable: true, storedBytes: 4_096_000 },
      objectTypes: [
        {
          ontology: 'aviation',
          objectType: 'country',
          count: 250,
          version: 1,
          oldestVersion: 0,
        },
      ],
      pageCache: { pages: 5, bytes: 3_217, maxBytes: 33_554_432 },
      backgroundWork: { replacements: [], rewrites: [], tablesToRemove: 0, reclaiming: false },
    },
  },
} as const
