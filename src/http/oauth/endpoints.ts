/** OAuth 2.0, at the paths that the official SDKs use. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { authenticateClient, type OAuthClient } from '../../access/oauth/clients.ts'
import {
  exchangeCode,
  type IssuedTokens,
  issueForClient,
  refreshGrant,
  revokeToken,
} from '../../access/oauth/grants.ts'
import { OAuthError, type OAuthErrorCode } from '../../access/oauth/oauth-error.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { documentedWith, integer, namedObject, text } from '../../contract/schema-parts.ts'
import type { App } from '../app.ts'
import { addEndpoints, endpoint } from '../endpoint.ts'
import { UNGUARDED } from '../request/declare-guards.ts'
import { admitByAddress } from '../request/request-hooks.ts'
import { renderError, reportError } from '../response/error-response.ts'
import type { Services } from '../services.ts'
import { addAuthorize } from './authorize.ts'
import { AUTHORIZE_PATH, REVOKE_PATH, TOKEN_PATH } from './paths.ts'
import {
  acceptForms,
  BASIC,
  FORM_MAX_BYTES,
  FORM_TYPE,
  NO_STORE,
  type Parameters,
  readClientCredentials,
  requireParameter,
} from './read-form.ts'
import { errorPage, pageHeaders } from './sign-in-page.ts'

const GRANT_TYPES = ['client_credentials', 'authorization_code', 'refresh_token'] as const

const ClientMembers = {
  client_id: Type.Optional(text('The client, unless HTTP Basic names it.')),
  client_secret: Type.Optional(
    text('The secret of a confidential client, unless HTTP Basic has it.'),
  ),
}

/** Other parameters are ignored (RFC 6749, 3.2), but none may occur twice. */
const form = (parameter: string) => ({
  required: [parameter],
  additionalProperties: { type: 'string' },
})

const TokenMembers = Type.Object({
  grant_type: Type.Optional(
    documentedWith(text(`One of ${GRANT_TYPES.join(', ')}.`), { enum: GRANT_TYPES }),
  ),
  ...ClientMembers,
  scope: Type.Optional(text('Scopes, separated by spaces.')),
  code: Type.Optional(Type.String()),
  redirect_uri: Type.Optional(Type.String()),
  code_verifier: Type.Optional(Type.String()),
  refresh_token: Type.Optional(Type.String()),
})

const TokenForm = documentedWith(TokenMembers, form('grant_type'))

const TokenResponse = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('bearer'),
  expires_in: integer('Seconds until the access token expires.'),
  refresh_token: Type.Optional(text('Can be used once. Present with the scope `offline_access`.')),
  scope: text('The granted scopes, separated by spaces.'),
})

const RevokeForm = documentedWith(
  Type.Object({
    ...ClientMembers,
    token: Type.Optional(
      documentedWith(text('An access token or a refresh token.'), { minLength: 1 }),
    ),
  }),
  form('token'),
)

const OAuthErrorResponse = namedObject('OAuthError', {
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

const getToken = endpoint({
  ...common,
  route: `POST ${TOKEN_PATH}`,
  operationId: 'getToken',
  summary: 'Get an access token (OAuth 2.0)',
  description:
    'Grants are `client_credentials` for programs, `authorization_code` for people, and `refresh_token`. The client names itself by HTTP Basic or in the form.',
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

const revokeOAuthToken = endpoint({
  ...common,
  route: `POST ${REVOKE_PATH}`,
  operationId: 'revokeToken',
  summary: 'Revoke a token and what it belongs to (OAuth 2.0)',
  description:
    'Ends the grant of an access token or a refresh token. The response is the same if the token is not valid (RFC 7009).',
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

/** Adds the endpoints to an application of their own, because bodies and errors differ. */
export function addOAuth(app: App, services: Services): void {
  acceptForms(app)
  app.setErrorHandler(oauthErrorHandler(services))
  admitByAddress(app, services)
  addEndpoints(app, services, [getToken, revokeOAuthToken])
  addAuthorize(app, services)
}

function oauthErrorHandler(services: Services) {
  return async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const known = toOAuthError(error, request, services)
    const delayMs = [401, 403, 429].includes(known.status)
      ? services.admission.refusalDelayMs(`address ${request.ip}`)
      : 0
    if (delayMs > 0) await sleep(delayMs)
    if (request.routeOptions.url === AUTHORIZE_PATH) {
      return reply.code(known.status).headers(pageHeaders()).send(errorPage(known.message))
    }
    const headers = { ...NO_STORE, ...headersOf(error, known, request) }
    return reply
      .code(known.status)
      .headers({ ...headers, 'content-type': 'application/json' })
      .send(JSON.stringify({ error: known.code, error_description: known.message }))
  }
}

/** Errors of the service keep their status. Only the log gets the cause of an internal one. */
function toOAuthError(error: unknown, request: FastifyRequest, services: Services): OAuthError {
  if (error instanceof OAuthError) return error
  const known = reportError(error, request, services)
  const { status } = renderError(known, request.id)
  const { parameter, reason } = known.parameters as { parameter?: string; reason?: string }
  const description =
    status === 500
      ? `An internal error occurred; the log has the details under ${request.id}.`
      : [parameter, reason ?? known.message].filter((part) => part !== undefined).join(': ')
  return new OAuthError(codeOf(status), description.replaceAll(/["\\]/g, "'"), status)
}

function codeOf(status: number): OAuthErrorCode {
  if (status === 500) return 'server_error'
  return status === 429 || status === 503 ? 'temporarily_unavailable' : 'invalid_request'
}

function headersOf(
  error: unknown,
  { code }: OAuthError,
  { headers, id }: FastifyRequest,
): Readonly<Record<string, string>> {
  if (error instanceof ObjectQueryError) {
    const retryAfter = renderError(error, id).headers['retry-after']
    return retryAfter === undefined ? {} : { 'retry-after': retryAfter }
  }
  // A client that sent HTTP Basic is told the scheme (RFC 6749, 5.2).
  const usedBasic = BASIC.test(headers.authorization ?? '')
  return code === 'invalid_client' && usedBasic ? { 'www-authenticate': 'Basic realm="oauth"' } : {}
}
