/** The examples of OAuth, and of the endpoints that describe the caller. */

/** The client that the examples are sent as. */
const CLIENT = {
  client_id: 'c59a1c4a2d0f4f1f8f0b6d3e7a905c2b',
  client_secret: 'oqs_client_Yp0mXo0yq3r3vQkEJ6n1m5gkq8Jr2dZ0bWc5e1aTt7U',
}

export const OAUTH_EXAMPLES = {
  getToken: {
    request: { grant_type: 'client_credentials', ...CLIENT, scope: 'api:use-ontologies-read' },
    response: {
      access_token: 'oqs_access_1bq2mW0pTn6cJ5Yq8e3xLr7uVd4kZs9hGa0fRi2oXyA',
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'api:use-ontologies-read',
    },
  },
  revokeToken: {
    request: { ...CLIENT, token: 'oqs_access_1bq2mW0pTn6cJ5Yq8e3xLr7uVd4kZs9hGa0fRi2oXyA' },
    response: {},
  },
  getCaller: {
    response: {
      id: 'admin',
      name: 'admin',
      scopes: ['api:ontologies-read', 'api:ontologies-write', 'api:admin'],
      limits: {},
      pageTokens: { maxAgeSeconds: 300, snapshotMaxAgeSeconds: 3600 },
    },
  },
  getCurrentUser: {
    response: {
      id: '8c6976e5-b541-8415-8de9-08bd4dee15df',
      username: 'admin',
      realm: 'oqs',
      status: 'ACTIVE',
      attributes: {},
    },
  },
} as const
