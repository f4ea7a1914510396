/** Reads forms and client credentials from requests to the OAuth endpoints. */
import type { FastifyRequest } from 'fastify'
import type { ClientCredentials } from '../../access/oauth/clients.ts'
import { OAuthError } from '../../access/oauth/oauth-error.ts'
import type { App } from '../app.ts'

/** The parameters of a request; each may occur once (RFC 6749, 3.1). */
export type Parameters = Readonly<Record<string, string>>

export const FORM_TYPE = 'application/x-www-form-urlencoded'
/** Longer than any valid request. */
export const FORM_MAX_BYTES = 16_384

/** Responses with tokens, codes or secrets must not be stored (RFC 6749, 5.1). */
export const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' } as const

/** Lets the endpoints of `app` accept forms, and nothing else. */
export function acceptForms(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    FORM_TYPE,
    { parseAs: 'string', bodyLimit: FORM_MAX_BYTES },
    (_request, text, done) => {
      try {
        done(null, readParameters(new URLSearchParams(text as string)))
      } catch (error) {
        done(error as Error)
      }
    },
  )
}

/** Returns the parameters of a form or a query string. An empty one counts as absent. */
export function readParameters(pairs: URLSearchParams): Parameters {
  const parameters = new Map<string, string>()
  for (const [name, value] of pairs) {
    if (parameters.has(name)) {
      throw new OAuthError('invalid_request', 'A parameter occurs more than once.')
    }
    parameters.set(name, value)
  }
  return Object.fromEntries([...parameters].filter(([, value]) => value !== ''))
}

/** Returns a parameter that must be there. */
export function requireParameter(parameters: Parameters, name: string): string {
  const value = parameters[name]
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}

/** The scheme is case-insensitive (RFC 9110, 11.1). */
export const BASIC = /^basic\b */i

/** Reads the credentials of the client: HTTP Basic, or members of the form. */
export function readClientCredentials(
  { headers }: Pick<FastifyRequest, 'headers'>,
  form: Parameters,
): ClientCredentials {
  const { client_id: id, client_secret: secret } = form
  const scheme = BASIC.exec(headers.authorization ?? '')
  if (scheme === null) {
    if (id === undefined) throw new OAuthError('invalid_client', 'client_id is missing.')
    return { id, secret }
  }
  const basic = readBasic(headers.authorization?.slice(scheme[0].length) ?? '')
  if (secret !== undefined || (id !== undefined && id !== basic.id)) {
    throw new OAuthError('invalid_request', 'The client authenticates in two ways.')
  }
  return basic
}

/** Name and password are form-encoded before they are joined (RFC 6749, 2.3.1). */
function readBasic(credentials: string): ClientCredentials {
  const text = Buffer.from(credentials, 'base64').toString()
  const colon = text.indexOf(':')
  try {
    if (colon === -1) throw new Error('no colon')
    return { id: formDecode(text.slice(0, colon)), secret: formDecode(text.slice(colon + 1)) }
  } catch {
    throw new OAuthError('invalid_client', 'The Authorization header is not valid.')
  }
}

function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}
