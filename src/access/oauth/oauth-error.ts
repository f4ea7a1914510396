/** Errors of the OAuth endpoints, in the form of RFC 6749, 5.2. */

export type OAuthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'

/** An error of an OAuth client. The description is for its developer. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode
  readonly status: number

  constructor(code: OAuthErrorCode, description: string, status = statusOf(code)) {
    super(description)
    this.name = 'OAuthError'
    this.code = code
    this.status = status
  }
}

function statusOf(code: OAuthErrorCode): number {
  if (code === 'invalid_client') return 401
  if (code === 'server_error') return 500
  return code === 'temporarily_unavailable' ? 503 : 400
}
