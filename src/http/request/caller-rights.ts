import type { Scope } from '../../contract/scopes.ts'
import type { Ontology } from '../../ontology/ontology.ts'

/** The identity behind a bearer token, and what the token allows. */
export interface CallerRights {
  /** Page tokens and limits are bound to it. */
  readonly id: string
  /** The name of the token, of the client that it was issued to, or of the person. */
  readonly name: string
  readonly scopes: readonly Scope[]
  /** RIDs and API names of the ontologies that the token is limited to; undefined for all. */
  readonly ontologies: readonly string[] | undefined
  /** Names of policies: one list for each credential, each of which must allow a request. */
  readonly policies?: readonly (readonly string[])[] | undefined
  readonly expiresAtMs: number | undefined
  /** The person, whichever client acts for them; the caller itself if undefined. */
  readonly userId?: string | undefined
  /** What an OpenID provider says about a person. */
  readonly profile?: CallerProfile | undefined
  /** Further claims of an OpenID provider, for the rules of policies. */
  readonly claims?: Readonly<Record<string, string>> | undefined
}

export interface CallerProfile {
  readonly givenName?: string | undefined
  readonly familyName?: string | undefined
  readonly email?: string | undefined
}

/** The caller of a request. Authenticated for every request, including every page [5.1]. */
export interface Caller extends CallerRights {
  readonly credential: Credential
  readonly mayUse: (scope: Scope) => boolean
  readonly maySee: (ontology: Pick<Ontology, 'rid' | 'apiName'>) => boolean
  /** Whether policies, if there are any, allow changing the definition of an ontology. */
  readonly mayAdminister: (ontology: Pick<Ontology, 'rid'>) => boolean
}

/** What a caller authenticated with, so that its rights can be checked again later. */
export type Credential =
  | { readonly kind: 'adminToken' }
  | { readonly kind: 'apiToken'; readonly tokenId: string; readonly clientId?: string | undefined }
  | { readonly kind: 'openId' }
