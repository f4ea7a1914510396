/** Where a person may be sent after signing in. */
import type { FastifyRequest } from 'fastify'
import { redirectUriMistake } from '../../contract/redirect-uri.ts'
import { EXPLORER_CLIENT_ID, type OAuthClient } from './clients.ts'
import { OAuthError } from './oauth-error.ts'

/** Throws `invalid_request` if people who sign in for a client may not be sent to an address. */
export function checkRedirectUri(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { id, redirectUris }: OAuthClient,
  redirectUri: string,
  basePath: string,
): void {
  if (id !== EXPLORER_CLIENT_ID) {
    if (redirectUris.includes(redirectUri)) return
    const description = 'redirect_uri is not one of those that the client was created with.'
    throw new OAuthError('invalid_request', description)
  }
  if (isOwnAddress(redirectUri, headers, basePath)) return
  const description =
    'redirect_uri is not the address of this service. A proxy in front of it must pass on Host, and OQS_BASE_PATH must be the path under which it serves the service.'
  throw new OAuthError('invalid_request', description)
}

/**
 * True for the explorer of the site that the browser is on. Pages can set neither header. `Origin` comes
 * with the form and also tells the scheme, which a service behind a proxy does not know.
 */
function isOwnAddress(
  uri: string,
  { host = '', origin }: Pick<FastifyRequest['headers'], 'host' | 'origin'>,
  basePath: string,
): boolean {
  if (redirectUriMistake(uri) !== undefined) return false
  const url = new URL(uri)
  if (uri !== `${url.origin}${basePath}/` || url.host !== host.toLowerCase()) return false
  return origin === undefined || origin === url.origin
}
