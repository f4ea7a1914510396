import { type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { SECURITY_HEADERS } from './security-headers.ts'

/**
 * What every response has in common, whoever writes its head: pages of objects are written past
 * the framework. Each has the security headers, and from the moment the service is stopping, each
 * tells its client to use the connection no more.
 */
export function serviceResponses(isStopping: () => boolean): typeof ServerResponse {
  return class ServiceResponse extends ServerResponse {
    override writeHead(status: number, ...rest: never[]): this {
      if (isStopping()) this.shouldKeepAlive = false
      const headers = rest.at(-1) as OutgoingHttpHeaders | string | undefined
      if (typeof headers === 'object') {
        return super.writeHead(status, { ...SECURITY_HEADERS, ...headers })
      }
      // Streams set their headers one by one.
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
        if (!this.hasHeader(name)) this.setHeader(name, value)
      }
      return super.writeHead(status, ...rest)
    }
  } as typeof ServerResponse
}
