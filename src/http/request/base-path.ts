/** The path under which a proxy serves the service, next to other sites of its host. */
import type { IncomingMessage } from 'node:http'

/**
 * Returns a function that removes the base path from the URL of a request. A URL without it stays:
 * some proxies remove the path themselves, and health checks do not pass the proxy.
 */
export function removeBasePath(basePath: string): (request: IncomingMessage) => string {
  return ({ url = '/' }) => {
    if (!url.startsWith(basePath)) return url
    const rest = url.slice(basePath.length)
    if (rest.startsWith('/')) return rest
    return rest === '' || rest.startsWith('?') ? `/${rest}` : url
  }
}
