import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { DiscardedBodies } from './discarded-bodies.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

/**
 * Returns the response class of the server, which adds the security headers to every response,
 * discards what is left of the body of the request, and closes the connection once the service is
 * stopping. A class, because pages are written without the framework and its hooks.
 */
export function serviceResponses(stopping: AbortSignal): typeof ServerResponse {
  const bodies = new DiscardedBodies(() => stopping.aborted)
  return class ServiceResponse extends ServerResponse {
    constructor(...args: ConstructorParameters<typeof ServerResponse>) {
      super(...args)
      const [request] = args
      // Node.js adds its own listener later, which would read the rest of the body without a limit.
      if (hasBody(request)) this.once('finish', () => bodies.discard(request))
    }

    override writeHead(status: number, ...rest: never[]): this {
      if (stopping.aborted) this.shouldKeepAlive = false
      const headers = rest.at(-1) as OutgoingHttpHeaders | string | undefined
      if (typeof headers === 'object') {
        const all = withSecurityHeaders(headers)
        const vary = headers['vary'] === undefined ? undefined : this.getHeader('vary')
        // Both what is set already and what this response depends on.
        if (vary !== undefined) all['vary'] = `${vary}, ${headers['vary']}`
        return super.writeHead(status, all)
      }
      // Fastify sets the headers of streams one by one.
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
        if (!this.hasHeader(name)) this.setHeader(name, value)
      }
      return super.writeHead(status, ...rest)
    }
  } as typeof ServerResponse
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/** Adds the security headers that a response does not set itself. */
function withSecurityHeaders(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const all = { ...headers }
  for (const name of SECURITY_HEADER_NAMES) all[name] ??= SECURITY_HEADERS[name]
  return all
}

const SECURITY_HEADER_NAMES = Object.keys(SECURITY_HEADERS) as (keyof typeof SECURITY_HEADERS)[]
