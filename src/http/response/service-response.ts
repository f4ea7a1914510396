/** The response class of the server, and the headers that every response has. */
import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { CallerRate } from '../../admission/caller-limits.ts'
import { DiscardedBodies } from './discarded-bodies.ts'

/** A response of the server. */
export interface ServiceResponse extends ServerResponse {
  /** Returns the headers that depend on the request, as of the moment when they are sent. */
  readRequestHeaders?: (() => Readonly<Record<string, string>>) | undefined
}

/**
 * Returns the response class of the server, which adds the common headers to every response,
 * discards what is left of the body of the request, and closes the connection once the service is
 * stopping. A class, because pages are written without the framework and its hooks.
 */
export function serviceResponses(stopping: AbortSignal): typeof ServerResponse {
  const bodies = new DiscardedBodies(() => stopping.aborted)
  return class extends ServerResponse implements ServiceResponse {
    readRequestHeaders: ServiceResponse['readRequestHeaders'] = undefined

    constructor(...args: ConstructorParameters<typeof ServerResponse>) {
      super(...args)
      const [request] = args
      // Node.js adds its own listener later, which would read the rest of the body without a limit.
      if (hasBody(request)) this.once('finish', () => bodies.discard(request))
    }

    override writeHead(status: number, ...rest: never[]): this {
      if (stopping.aborted) this.shouldKeepAlive = false
      const headers = rest.at(-1) as OutgoingHttpHeaders | string | undefined
      const ofRequest = this.readRequestHeaders?.()
      if (typeof headers === 'object') {
        const all: OutgoingHttpHeaders = { ...SECURITY_HEADERS, ...ofRequest, ...headers }
        const vary = headers['vary'] === undefined ? undefined : this.getHeader('vary')
        // Both what is set already and what this response depends on.
        if (vary !== undefined) all['vary'] = `${vary}, ${headers['vary']}`
        return super.writeHead(status, all)
      }
      // Fastify sets the headers of streams one by one.
      for (const [name, value] of Object.entries({ ...SECURITY_HEADERS, ...ofRequest })) {
        if (!this.hasHeader(name)) this.setHeader(name, value)
      }
      return super.writeHead(status, ...rest)
    }
  } as typeof ServerResponse
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/**
 * The security headers of every response: no content sniffing, no scripts or subresources, no
 * frames, no referrer. The API reference page overrides the content security policy.
 */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const

/** Names the request as the log, the audit log and errors name it. */
export const REQUEST_ID_HEADER = 'x-request-id'

/** Returns what the caller may still send; nothing if there is no limit. */
export function rateLimitHeaders(rate: CallerRate | undefined): Readonly<Record<string, string>> {
  if (rate === undefined) return {}
  return {
    'ratelimit-limit': String(rate.limit),
    'ratelimit-remaining': String(rate.remaining),
    'ratelimit-reset': String(rate.resetSeconds),
  }
}
