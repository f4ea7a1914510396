import { type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { SECURITY_HEADERS } from './security-headers.ts'

/**
 * Returns the response class of the server, which adds the security headers to every response and
 * closes the connection after it once the service is stopping. A class, because pages are written
 * without the framework and its hooks.
 */
export function serviceResponses(isStopping: () => boolean): typeof ServerResponse {
  return class ServiceResponse extends ServerResponse {
    override writeHead(status: number, ...rest: never[]): this {
      if (isStopping()) this.shouldKeepAlive = false
      const headers = rest.at(-1) as OutgoingHttpHeaders | string | undefined
      if (typeof headers === 'object') {
        const vary = headers['vary'] === undefined ? undefined : this.getHeader('vary')
        return super.writeHead(status, {
          ...SECURITY_HEADERS,
          ...headers,
          // Both what is set already and what this response depends on.
          ...(vary === undefined ? {} : { vary: `${vary}, ${headers['vary']}` }),
        })
      }
      // Fastify sets the headers of streams one by one.
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
        if (!this.hasHeader(name)) this.setHeader(name, value)
      }
      return super.writeHead(status, ...rest)
    }
  } as typeof ServerResponse
}
