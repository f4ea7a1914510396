/** Signing in: a person presents an API token, and allows a client to act with a part of its rights. */
import type { Catalogue } from '../../ontology/catalogue.ts'
import type { ApiToken } from '../../store/object-store.ts'
import type { AccessServices } from '../access-services.ts'
import { tokenState } from '../api-tokens.ts'
import { findApiToken } from '../authenticate.ts'
import { hashSecret } from '../credentials.ts'
import type { OAuthClient } from './clients.ts'
import { createCode } from './grants.ts'
import { limitScopes, type RequestedScopes } from './oauth-scopes.ts'

/** What a client asks a person for, after all of it was checked. */
export interface Authorization {
  readonly client: OAuthClient
  readonly redirectUri: string
  readonly requested: RequestedScopes
  readonly challenge: string | undefined
}

/** A code for the client, or why the person cannot sign in with this token. */
export type SignedIn = { readonly code: string } | { readonly problem: string }

/** Signs a person in with an API token, and creates the code that the client exchanges for tokens. */
export async function signIn(
  { client, redirectUri, requested, challenge }: Authorization,
  secret: string | undefined,
  address: string,
  services: AccessServices,
): Promise<SignedIn> {
  const subject = await findSubject(secret, address, services)
  if (typeof subject === 'string') return { problem: subject }
  const granted = limitScopes(requested, subject.scopes)
  if (granted === undefined) {
    return {
      problem: 'This token allows nothing that the client asks for. Sign in with another token.',
    }
  }
  const catalogue = await services.store.readCatalogue({ named: [] })
  const code = await createCode(services, {
    ...granted,
    clientId: client.id,
    subjectId: subject.id,
    ontologies: commonOntologies(client.ontologies, subject.ontologies, catalogue),
    redirectUri,
    challenge,
  })
  return { code }
}

/** Returns the token of the person, or why it cannot be used. */
async function findSubject(
  secret: string | undefined,
  address: string,
  services: AccessServices,
): Promise<ApiToken | string> {
  if (secret === undefined) return 'Enter your API token.'
  const token = await findApiToken(hashSecret(secret.trim()), address, services)
  if (token === undefined || token.issue !== undefined) {
    return 'This is not an API token of this service. The admin token cannot sign in.'
  }
  const state = tokenState(token, services.now())
  if (state === 'revoked') return 'This token was revoked.'
  return state === 'expired' ? 'This token has expired.' : token
}

type Names = readonly string[] | undefined

/**
 * Returns the ontologies that two lists have in common; undefined stands for all. One list may name
 * an ontology by its RID and the other by its API name, so names are resolved. Names that do not
 * exist yet must be equal.
 */
function commonOntologies(a: Names, b: Names, catalogue: Catalogue): Names {
  if (a === undefined || b === undefined) return a ?? b
  const isIn = (name: string, list: readonly string[]) => {
    const ontology = catalogue.index.find(name)
    const names = ontology === undefined ? [name] : [name, ontology.rid, ontology.apiName]
    return names.some((one) => list.includes(one))
  }
  return a.filter((name) => isIn(name, b))
}
