import type { Admission } from '../admission/admission.ts'
import type { StoreBesideObjects } from '../store/object-store.ts'
import type { CallerRights } from './caller-rights.ts'
import type { CredentialUses, TokenLookups } from './credentials.ts'
import type { CallerViews } from './policies/view-cache.ts'

/** What access control works with: a part of the services of the application. */
export interface AccessServices {
  readonly store: StoreBesideObjects
  readonly admission: Admission
  readonly tokenLookups: TokenLookups
  readonly credentialUses: CredentialUses
  /** The hash of the token with every scope, if one is configured. */
  readonly adminTokenHash: string | undefined
  /** Verifies tokens of an OpenID provider, if one is configured. */
  readonly openIdTokens: OpenIdTokens | undefined
  /** The views of callers whose rights are limited by policies. */
  readonly views: CallerViews
  /** The clock, in milliseconds. */
  readonly now: () => number
  readonly newUuid: () => string
  readonly emit: (event: AccessEvent) => void
}

/** Verifies the tokens of an OpenID provider outside of the service. */
export interface OpenIdTokens {
  /**
   * Returns the identity and the rights of a token. Throws `Default:Unauthorized` for an invalid
   * token, and `ServiceUnavailable` if the provider cannot be reached.
   */
  verify(token: string): Promise<CallerRights>
}

/** A code or a refresh token was used again, so its grant was ended: it may be stolen. */
export interface AccessEvent {
  readonly event: 'oauthReuseRefused'
  readonly clientId: string
  readonly reused: 'code' | 'refreshToken'
}
