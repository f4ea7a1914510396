/** Which URIs people may be sent to after they signed in for an OAuth client. */

/** Hosts of this machine, where a redirect without TLS is safe (RFC 8252, 7.3). */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * Returns why a redirect URI cannot be used; undefined if it can. Apps use a scheme of their own,
 * which contains a dot like a reversed domain name (RFC 8252, 7.1).
 */
export function redirectUriMistake(text: string): string | undefined {
  if (!URL.canParse(text)) return 'it is not a URL'
  const { protocol, hostname, username, password, hash, href } = new URL(text)
  if (hash !== '' || text.includes('#')) return 'it has a fragment'
  if (username !== '' || password !== '') return 'it has a user name'
  if (protocol === 'http:' && !LOOPBACK.includes(hostname)) {
    return 'http:// is allowed on this machine only, such as http://localhost:3000/callback'
  }
  if (!['http:', 'https:'].includes(protocol) && !protocol.includes('.')) {
    return 'the scheme must be https, or contain a dot like com.example.app'
  }
  return /[\s"'<>\\]/.test(text) ? `it must be written as ${href}` : undefined
}
