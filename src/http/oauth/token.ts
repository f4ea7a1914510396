/** `/multipass/api/oauth2/token` and `revoke_token`: OAuth clients get and revoke tokens. */
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { UNGUARDED } from '../request/write-guards.ts'
import type { Services } from '../services.ts'
import { authenticateClient, type OAuthClient } from './clients.ts'
import {
  type IssuedTokens,
  issueForClient,
  refreshGrant,
  revokeToken,
  startGrant,
  takeCode,
} from './grants.ts'
import { NO_STORE, OAuthError } from './oauth-error.ts'
import { readScopes } from './oauth-scopes.ts'
import { REVOKE_PATH, TOKEN_PATH } from './paths.ts'
import { checkVerifier } from './pkce.ts'
import {
  FORM_MAX_BYTES,
  FORM_TYPE,
  type Parameters,
  readClientCredentials,
  requireParameter,
} from './read-form.ts'

const GRANT_TYPES = ['client_credentials', 'authorization_code', 'refresh_token'] as const

const ClientMembers = {
  client_id: Type.Optional(Type.String({ description: 'The client, unless HTTP Basic names it.' })),
  client_secret: Type.Optional(
    Type.String({ description: 'The secret of a confidential client, unless HTTP Basic has it.' }),
  ),
}

const TokenForm = Type.Object({
  grant_type: Type.Optional(Type.String({ description: `One of ${GRANT_TYPES.join(', ')}.` })),
  ...ClientMembers,
  scope: Type.Optional(Type.String({ description: 'Scopes, separated by spaces.' })),
  code: Type.Optional(Type.String()),
  redirect_uri: Type.Optional(Type.String()),
  code_verifier: Type.Optional(Type.String()),
  refresh_token: Type.Optional(Type.String()),
})

const TokenResponse = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('bearer'),
  expires_in: Type.Integer({ description: 'Seconds until the access token expires.' }),
  refresh_token: Type.Optional(
    Type.String({ description: 'Can be used once. Present with the scope `offline_access`.' }),
  ),
  scope: Type.String({ description: 'The granted scopes, separated by spaces.' }),
})

const RevokeForm = Type.Object({
  ...ClientMembers,
  token: Type.Optional(Type.String({ description: 'An access token or a refresh token.' })),
})

const OAuthErrorResponse = Type.Object({
  error: Type.String(),
  error_description: Type.String(),
})

const ERROR_RESPONSES = { '4xx': OAuthErrorResponse, '5xx': OAuthErrorResponse }

export function addToken(app: App, services: Services): void {
  app.post(
    TOKEN_PATH,
    {
      config: { writes: UNGUARDED },
      bodyLimit: FORM_MAX_BYTES,
      schema: {
        operationId: 'getToken',
        summary: 'Get an access token (OAuth 2.0)',
        tags: ['OAuth'],
        security: [],
        consumes: [FORM_TYPE],
        body: TokenForm,
        response: { 200: TokenResponse, ...ERROR_RESPONSES },
      },
    },
    async (request, reply) => {
      const form = request.body as Parameters
      const { store, now } = services
      const grantType = requireParameter(form, 'grant_type')
      const grant = GRANTS[grantType as keyof typeof GRANTS]
      if (!Object.hasOwn(GRANTS, grantType)) {
        const description = `grant_type must be one of ${GRANT_TYPES.join(', ')}.`
        throw new OAuthError('unsupported_grant_type', description)
      }
      const credentials = readClientCredentials(request, form)
      const client = await authenticateClient(store.documents, credentials, now())
      request.context.oauthClient = { id: client.id, name: client.name, clientId: client.id }
      const tokens = await grant(services, client, form)
      return reply.headers(NO_STORE).send({
        access_token: tokens.accessToken,
        token_type: 'bearer',
        expires_in: tokens.expiresInSeconds,
        ...(tokens.refreshToken === undefined ? {} : { refresh_token: tokens.refreshToken }),
        scope: tokens.names.join(' '),
      })
    },
  )
}

export function addRevokeToken(app: App, services: Services): void {
  app.post(
    REVOKE_PATH,
    {
      config: { writes: UNGUARDED },
      bodyLimit: FORM_MAX_BYTES,
      schema: {
        operationId: 'revokeToken',
        summary: 'Revoke a token and what it belongs to (OAuth 2.0)',
        tags: ['OAuth'],
        security: [],
        consumes: [FORM_TYPE],
        body: RevokeForm,
        response: { 200: Type.Object({}), ...ERROR_RESPONSES },
      },
    },
    async (request, reply) => {
      const form = request.body as Parameters
      const { store, now } = services
      const token = requireParameter(form, 'token')
      const credentials = readClientCredentials(request, form)
      const client = await authenticateClient(store.documents, credentials, now())
      request.context.oauthClient = { id: client.id, name: client.name, clientId: client.id }
      await revokeToken(services, client, token)
      return reply.headers(NO_STORE).send({})
    },
  )
}

type GrantType = (typeof GRANT_TYPES)[number]

const GRANTS: Readonly<
  Record<
    GrantType,
    (services: Services, client: OAuthClient, form: Parameters) => Promise<IssuedTokens>
  >
> = {
  client_credentials: async (services, client, form) => {
    if (client.isPublic) {
      const description = 'A public client has no credentials of its own.'
      throw new OAuthError('unauthorized_client', description)
    }
    return issueForClient(services, client, readScopes(form['scope'], client.scopes))
  },

  authorization_code: async (services, client, form) => {
    const code = requireParameter(form, 'code')
    const redirectUri = requireParameter(form, 'redirect_uri')
    const { grantId, pending } = await takeCode(services, code)
    const { redirectUri: expected, challenge, ...grant } = pending
    if (grant.clientId !== client.id) {
      throw new OAuthError('invalid_grant', 'The code belongs to another client.')
    }
    if (redirectUri !== expected) {
      throw new OAuthError('invalid_grant', 'redirect_uri differs from the one of the code.')
    }
    checkVerifier(challenge, form['code_verifier'])
    return startGrant(services, client, grantId, grant)
  },

  refresh_token: async (services, client, form) => {
    const { scope } = form
    const refreshToken = requireParameter(form, 'refresh_token')
    return refreshGrant(services, client, refreshToken, (allowed) =>
      scope === undefined ? undefined : readScopes(scope, allowed),
    )
  },
}
