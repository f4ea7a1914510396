import type { CallerRights } from '../caller.ts'

/** Verifies the tokens of an OpenID provider outside of the service. */
export interface OpenIdTokens {
  /**
   * Returns the identity and the rights of a token. Throws `Default:Unauthorized` for an invalid
   * token, and `ServiceUnavailable` if the provider cannot be reached.
   */
  verify(token: string): Promise<CallerRights>
}

/** Three parts in base64url, of which the first is a JSON object. */
const JWT = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/

/** Returns whether a bearer token has the form of a signed JSON web token. */
export function isJwt(token: string): boolean {
  return JWT.test(token)
}
