/** `/multipass/api/oauth2/token` and `revoke_token`: OAuth clients get and revoke tokens. */

import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { authenticateClient, type OAuthClient } from '../../access/oauth/clients.ts'
import {
  exchangeCode,
  type IssuedTokens,
  issueForClient,
  refreshGrant,
  revokeToken,
} from '../../access/oauth/grants.ts'
import { OAuthError } from '../../access/oauth/oauth-error.ts'
import { integer, text } from '../../contract/schema-parts.ts'
import { endpoint } from '../endpoint.ts'
import { UNGUARDED } from '../request/write-guards.ts'
import type { Services } from '../services.ts'
import { REVOKE_PATH, TOKEN_PATH } from './paths.ts'
import {
  FORM_MAX_BYTES,
  FORM_TYPE,
  NO_STORE,
  type Parameters,
  readClientCredentials,
  requireParameter,
} from './read-form.ts'

const GRANT_TYPES = ['client_credentials', 'authorization_code', 'refresh_token'] as const

const ClientMembers = {
  client_id: Type.Optional(text('The client, unless HTTP Basic names it.')),
  client_secret: Type.Optional(
    text('The secret of a confidential client, unless HTTP Basic has it.'),
  ),
}

const TokenForm = Type.Object({
  grant_type: Type.Optional(text(`One of ${GRANT_TYPES.join(', ')}.`)),
  ...ClientMembers,
  scope: Type.Optional(text('Scopes, separated by spaces.')),
  code: Type.Optional(Type.String()),
  redirect_uri: Type.Optional(Type.String()),
  code_verifier: Type.Optional(Type.String()),
  refresh_token: Type.Optional(Type.String()),
})

const TokenResponse = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('bearer'),
  expires_in: integer('Seconds until the access token expires.'),
  refresh_token: Type.Optional(text('Can be used once. Present with the scope `offline_access`.')),
  scope: text('The granted scopes, separated by spaces.'),
})

const RevokeForm = Type.Object({
  ...ClientMembers,
  token: Type.Optional(text('An access token or a refresh token.')),
})

const OAuthErrorResponse = Type.Object({
  error: Type.String(),
  error_description: Type.String(),
})

const ERROR_RESPONSES = { '4xx': OAuthErrorResponse, '5xx': OAuthErrorResponse }

const common = {
  config: { writes: UNGUARDED },
  options: () => ({ bodyLimit: FORM_MAX_BYTES }),
  security: [],
  consumes: [FORM_TYPE],
} as const

export const getToken = endpoint({
  ...common,
  route: `POST ${TOKEN_PATH}`,
  operationId: 'getToken',
  summary: 'Get an access token (OAuth 2.0)',
  body: TokenForm,
  response: { 200: TokenResponse, ...ERROR_RESPONSES },
  handle: async (request, reply, services) => {
    const form = request.body as Parameters
    const grantType = requireParameter(form, 'grant_type')
    const grant = GRANTS[grantType as keyof typeof GRANTS]
    if (!Object.hasOwn(GRANTS, grantType)) {
      const description = `grant_type must be one of ${GRANT_TYPES.join(', ')}.`
      throw new OAuthError('unsupported_grant_type', description)
    }
    const client = await readClient(request, form, services)
    const tokens = await grant(services, client, form)
    return reply.headers(NO_STORE).send({
      access_token: tokens.accessToken,
      token_type: 'bearer',
      expires_in: tokens.expiresInSeconds,
      ...(tokens.refreshToken === undefined ? {} : { refresh_token: tokens.refreshToken }),
      scope: tokens.names.join(' '),
    })
  },
})

export const revokeOAuthToken = endpoint({
  ...common,
  route: `POST ${REVOKE_PATH}`,
  operationId: 'revokeToken',
  summary: 'Revoke a token and what it belongs to (OAuth 2.0)',
  body: RevokeForm,
  response: { 200: Type.Object({}), ...ERROR_RESPONSES },
  handle: async (request, reply, services) => {
    const form = request.body as Parameters
    const token = requireParameter(form, 'token')
    const client = await readClient(request, form, services)
    await revokeToken(services, client, token)
    return reply.headers(NO_STORE).send({})
  },
})

/** Returns the client of a request. Throws `invalid_client` if its secret is wrong. */
async function readClient(
  request: Pick<FastifyRequest, 'headers' | 'context'>,
  form: Parameters,
  { store, now }: Services,
): Promise<OAuthClient> {
  const credentials = readClientCredentials(request, form)
  const client = await authenticateClient(store.documents, credentials, now())
  const { id, name } = client
  request.context.noteAudit({ oauthClient: { id, name, clientId: id } })
  return client
}

type GrantType = (typeof GRANT_TYPES)[number]

const GRANTS: Readonly<
  Record<
    GrantType,
    (services: Services, client: OAuthClient, form: Parameters) => Promise<IssuedTokens>
  >
> = {
  client_credentials: async (services, client, form) =>
    issueForClient(services, client, form['scope']),
  authorization_code: async (services, client, form) =>
    exchangeCode(services, client, {
      code: requireParameter(form, 'code'),
      redirectUri: requireParameter(form, 'redirect_uri'),
      verifier: form['code_verifier'],
    }),
  refresh_token: async (services, client, form) =>
    refreshGrant(services, client, requireParameter(form, 'refresh_token'), form['scope']),
}
