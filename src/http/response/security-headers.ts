/**
 * The security headers of every response: no content sniffing, no scripts or subresources, no
 * frames, no referrer. The API reference page overrides the content security policy.
 */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const
