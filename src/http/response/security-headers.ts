/**
 * What browsers are told with every response: to take it for nothing but its content type, to run
 * and load nothing, to show it in no frame, and to tell nobody where a link was followed from. The
 * page of the API reference has a policy of its own.
 */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const
