/** API tokens as they cross the port. */
import type { Scope } from '../contract/scopes.ts'

/** A token that was not revoked yet, and the generation of all tokens and policies at that time. */
export interface CachedToken {
  readonly token: ApiToken
  readonly generation: number
}

/** A stored bearer token: everything but the secret. */
export interface ApiToken {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** API names or RIDs; undefined for every ontology. */
  readonly ontologies: readonly string[] | undefined
  /**
   * Names of the policies that limit what the token may do: one list for each credential behind it,
   * each of which must allow a request. Undefined if no policy limits it.
   */
  readonly policies?: readonly (readonly string[])[] | undefined
  readonly createdAtMs: number
  readonly expiresAtMs: number | undefined
  readonly revokedAtMs: number | undefined
  /** Set if the token was issued to an OAuth client. Such a token is deleted after it expires. */
  readonly issue?: TokenIssue | undefined
}

/** Why a token was issued to an OAuth client. */
interface TokenIssue {
  readonly clientId: string
  /** The grant of a person; undefined if the client acts for itself. */
  readonly grantId: string | undefined
  /** The id of the API token that signed in; undefined if the client acts for itself. */
  readonly subjectId: string | undefined
}
