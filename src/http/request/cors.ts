/** Cross-origin requests: which web sites may call the service from a browser (Fetch standard). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { App } from '../app.ts'
import type { Services } from '../services.ts'

/** The allowed origins; `*` for every web site. */
export type CorsOrigins = '*' | readonly string[]

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'

/** What our client and the official SDKs send, beside the headers that are always allowed. */
const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'content-encoding',
  'fetch-user-agent',
  'x-osdk-request-context',
  'traceparent',
  'tracestate',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
].join(', ')

/** What scripts may read, beside the headers that are always exposed. */
const RESPONSE_HEADERS = [
  'allow',
  'etag',
  'idempotency-replayed',
  'oqs-version',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'server-timing',
  'www-authenticate',
  'x-request-id',
].join(', ')

const PREFLIGHT_SECONDS = 3600

/**
 * Adds the headers that browsers require. A preflight request, which has no token, is answered like
 * any other `OPTIONS` request. Requests of other origins are served without these headers: the
 * browser keeps the response from the script. Must be added after `openRequests`.
 */
export function allowOrigins(app: App, origins: CorsOrigins, { admission }: Services): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { origin, 'access-control-request-method': asked } = request.headers
    try {
      const isAllowed = allowOrigin(reply.raw, origin, origins)
      if (isAllowed && request.method === 'OPTIONS' && asked !== undefined) {
        admission.admit(request.context)
        reply.raw.setHeader('access-control-allow-methods', METHODS)
        reply.raw.setHeader('access-control-allow-headers', REQUEST_HEADERS)
        reply.raw.setHeader('access-control-max-age', PREFLIGHT_SECONDS)
      }
      done()
    } catch (error) {
      done(error as Error)
    }
  })
}

/**
 * Refuses a web site that is not allowed to open a WebSocket, since browsers let any script read from
 * one, or to send messages of agents, as their protocol requires. Other clients send no origin, and the
 * pages of the service itself have its host.
 */
export function refuseForeignOrigin(
  { headers: { origin, host } }: IncomingMessage,
  origins: CorsOrigins | undefined,
): void {
  if (origin === undefined || origins === '*' || origins?.includes(origin)) return
  if (origin.split('://')[1] === host) return
  const reason = 'this web site is not in OQS_CORS_ORIGINS'
  throw new ObjectQueryError('ApiUsageDenied', { parameter: 'origin', reason })
}

/** Sets headers on the response itself, because pages are written without the framework. */
function allowOrigin(
  response: ServerResponse,
  origin: string | undefined,
  origins: CorsOrigins,
): boolean {
  // For a list, a cache must not give the response for one origin to another.
  if (origins !== '*') response.setHeader('vary', 'origin')
  if (origin === undefined || (origins !== '*' && !origins.includes(origin))) return false
  response.setHeader('access-control-allow-origin', origins === '*' ? '*' : origin)
  response.setHeader('access-control-expose-headers', RESPONSE_HEADERS)
  return true
}
