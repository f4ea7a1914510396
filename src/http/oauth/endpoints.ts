/** OAuth 2.0, at the paths that the official SDKs use. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { OAuthError, type OAuthErrorCode } from '../../access/oauth/oauth-error.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { App } from '../app.ts'
import { addEndpoints } from '../endpoint.ts'
import { admitByAddress } from '../request/require-authentication.ts'
import { reportError } from '../response/error-response.ts'
import { renderError } from '../response/render-error.ts'
import type { Services } from '../services.ts'
import { addAuthorize } from './authorize.ts'
import { AUTHORIZE_PATH } from './paths.ts'
import { acceptForms, BASIC, NO_STORE } from './read-form.ts'
import { errorPage, pageHeaders } from './sign-in-page.ts'
import { getToken, revokeOAuthToken } from './token.ts'

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
