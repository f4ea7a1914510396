/** Browser sessions: a printed link signs a browser in once, and signing out ends the session. */
import { ObjectQueryError } from '../contract/errors.ts'
import type { Scope } from '../contract/scopes.ts'
import type { StoreBesideObjects } from '../store/object-store.ts'
import { createApiToken } from './api-tokens.ts'
import { type Caller, refuseLink } from './caller-rights.ts'
import { newCode, redeemCode, storeCode } from './one-time-codes.ts'

const CODE_MS = 600_000

/** The API token that a code is exchanged for. */
export interface SessionSpec {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly ontologies?: readonly string[] | undefined
  /** How long the token is valid, from the exchange on. */
  readonly tokenMs: number
}

/** Creates a code that can be exchanged for an API token, once and within ten minutes. */
export async function createSessionCode(
  { documents }: Pick<StoreBesideObjects, 'documents'>,
  session: SessionSpec,
  nowMs: number,
): Promise<string> {
  const code = newCode()
  await storeCode(documents, 'session', code, session, { expiresAtMs: nowMs + CODE_MS })
  return code
}

/** Exchanges a code for an API token. Throws `InvalidOneTimeCode`. */
export async function startSession(
  store: StoreBesideObjects,
  code: string,
  nowMs: number,
): Promise<{ readonly secret: string; readonly expiresAtMs: number }> {
  const session = (await redeemCode(store.documents, 'session', code, nowMs)) as SessionSpec
  const { name, scopes, ontologies, tokenMs } = session
  const expiresAtMs = nowMs + tokenMs
  const { secret } = await createApiToken(store, { name, scopes, ontologies, expiresAtMs }, nowMs)
  return { secret, expiresAtMs }
}

/** Revokes the API token of a caller. Throws `ApiUsageDenied` if it has another credential. */
export async function endSession(
  store: StoreBesideObjects,
  caller: Caller,
  nowMs: number,
): Promise<void> {
  refuseLink(caller)
  const { credential } = caller
  if (credential.kind !== 'apiToken') {
    const reason = 'the token of this request is not an API token'
    throw new ObjectQueryError('ApiUsageDenied', { reason })
  }
  await store.revokeApiTokens([credential.tokenId], nowMs)
}
