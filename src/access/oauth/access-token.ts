/** Access tokens: API tokens of the store that a client obtains, for itself or for a person. */
import { ACCESS_TOKEN_SECONDS } from '../../contract/limits.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { ApiToken } from '../../store/object-store.ts'
import type { AccessServices } from '../access-services.ts'
import { hashSecret, newSecret } from '../credentials.ts'
import type { OAuthClient } from './clients.ts'

const ACCESS_PREFIX = 'oqs_access_'

interface AccessTokenSpec {
  readonly scopes: readonly Scope[]
  readonly ontologies: readonly string[] | undefined
  readonly grantId: string | undefined
  readonly subject: ApiToken | undefined
}

/** Creates an access token, which never outlives its client or the token that signed in. */
export async function createAccessToken(
  { store, now, newUuid }: Pick<AccessServices, 'store' | 'now' | 'newUuid'>,
  client: OAuthClient,
  { scopes, ontologies, grantId, subject }: AccessTokenSpec,
): Promise<{ readonly accessToken: string; readonly expiresInSeconds: number }> {
  const nowMs = now()
  const expiresAtMs = Math.min(
    nowMs + 1000 * ACCESS_TOKEN_SECONDS,
    client.expiresAtMs ?? Infinity,
    subject?.expiresAtMs ?? Infinity,
  )
  const accessToken = newSecret(ACCESS_PREFIX)
  const token: ApiToken = {
    id: newUuid(),
    // The name of the person, if one signed in, because clients show it.
    name: subject?.name ?? client.name,
    scopes,
    ontologies,
    policies: policyLists(client, subject),
    createdAtMs: nowMs,
    expiresAtMs,
    revokedAtMs: undefined,
    issue: { clientId: client.id, grantId, subjectId: subject?.id },
  }
  await store.createApiToken(token, hashSecret(accessToken))
  return { accessToken, expiresInSeconds: Math.floor((expiresAtMs - nowMs) / 1000) }
}

/** A client that acts for a person may do what the policies of both allow. */
function policyLists(client: OAuthClient, subject: ApiToken | undefined): ApiToken['policies'] {
  const lists = [...(client.policies ? [client.policies] : []), ...(subject?.policies ?? [])]
  return lists.length === 0 ? undefined : lists
}
