/**
 * The cookie of a browser session. It counts only with a header that pages of other sites cannot
 * send, because CORS never allows it. Its name has the port: cookies are shared by all ports of a host.
 */
import type { IncomingHttpHeaders } from 'node:http'

/** Says that the request comes from the explorer. */
export const SESSION_HEADER = 'oqs-session'

/** Only the API gets the cookie, no other program behind the same host. */
const PATH = '/api/'

type Headers = Pick<IncomingHttpHeaders, 'cookie' | 'host' | 'origin'> & {
  readonly [SESSION_HEADER]?: string | string[] | undefined
}

/** Returns the secret of the session that a request belongs to. */
export function readSession(headers: Headers): string | undefined {
  if (headers[SESSION_HEADER] === undefined) return undefined
  const start = `${cookieName(headers)}=`
  const cookie = headers.cookie?.split(/; */).find((each) => each.startsWith(start))
  return cookie?.slice(start.length)
}

/** Returns the value of `Set-Cookie` that keeps a session until it expires. */
export function keepSession(
  headers: Headers,
  basePath: string,
  { secret, maxAgeSeconds }: { readonly secret: string; readonly maxAgeSeconds: number },
): string {
  // The page may be behind a proxy that ends HTTPS, so its own address tells.
  const secure = headers.origin?.startsWith('https:') ? '; Secure' : ''
  const attributes = `Path=${basePath}${PATH}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`
  return `${cookieName(headers)}=${secret}; ${attributes}${secure}`
}

/** Returns the value of `Set-Cookie` that makes a browser forget its session. */
export function forgetSession(headers: Headers, basePath: string): string {
  return keepSession(headers, basePath, { secret: '', maxAgeSeconds: 0 })
}

function cookieName({ host = '' }: Headers): string {
  const port = /:(\d+)$/.exec(host)?.[1]
  return port === undefined ? 'oqs_session' : `oqs_session_${port}`
}
