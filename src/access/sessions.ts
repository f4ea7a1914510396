/**
 * Browser sessions: a person signs in once, with a bearer token or a one-time link, and the browser
 * keeps a cookie that scripts cannot read. A session refers to its caller, so it has the rights that
 * the caller has at each request, and ends with the token that started it.
 */

import { ObjectQueryError } from '../contract/errors.ts'
import type { AccessServices } from './access-services.ts'
import { type CallerReference, findCaller } from './caller-reference.ts'
import { type Caller, refuseLink, unauthorized } from './caller-rights.ts'
import { hashSecret, newSecret } from './credentials.ts'
import { newCode, redeemCode, storeCode } from './one-time-codes.ts'

const CODE_MS = 600_000
const SESSION_MS = 7 * 86_400_000
const KIND = 'browserSession'

type SessionServices = Pick<AccessServices, 'now' | 'adminTokenHash'> & {
  readonly store: Pick<AccessServices['store'], 'documents' | 'findApiTokenById'>
}

/** Creates a code that signs a browser in as a caller, once and within ten minutes. */
export async function createSessionCode(
  { documents }: Pick<SessionServices['store'], 'documents'>,
  caller: CallerReference,
  nowMs: number,
): Promise<{ readonly code: string; readonly expiresAtMs: number }> {
  const code = newCode()
  const expiresAtMs = nowMs + CODE_MS
  await storeCode(documents, 'session', code, { caller }, { expiresAtMs })
  return { code, expiresAtMs }
}

/** Returns the caller that a code signs in. Throws `InvalidOneTimeCode`. */
export async function redeemSessionCode(
  services: SessionServices,
  code: string,
): Promise<CallerReference> {
  const body = await redeemCode(services.store.documents, 'session', code, services.now())
  return (body as { readonly caller: CallerReference }).caller
}

/** Starts a session. Throws if the caller is not valid any more, or has a read-only link. */
export async function startSession(
  services: SessionServices,
  reference: CallerReference,
): Promise<{ readonly secret: string; readonly expiresAtMs: number }> {
  const { store, now } = services
  const caller: Caller = await findCaller(reference, services)
  refuseLink(caller)
  const secret = newSecret('')
  const expiresAtMs = Math.min(now() + SESSION_MS, caller.expiresAtMs ?? Infinity)
  await store.documents.put({ kind: KIND, id: hashSecret(secret), body: reference, expiresAtMs })
  return { secret, expiresAtMs }
}

/** Returns the caller of a session. Throws `Default:Unauthorized` if the session has ended. */
export async function callerOfSession(services: SessionServices, secret: string): Promise<Caller> {
  const { store, now } = services
  const session = await store.documents.find(KIND, hashSecret(secret), now())
  if (session === undefined) throw unauthorized('UNKNOWN')
  return findCaller(session.body as CallerReference, services)
}

/** Ends a session: a copy of its cookie does not work any more. */
export async function endSession(
  { store }: Pick<SessionServices, 'store'>,
  secret: string,
): Promise<void> {
  await store.documents.delete(KIND, hashSecret(secret))
}

/** Revokes the API token of a caller. Throws `ApiUsageDenied` if it has another credential. */
export async function revokeOwnToken(
  { store, now }: Pick<AccessServices, 'store' | 'now'>,
  caller: Caller,
): Promise<void> {
  refuseLink(caller)
  const { credential } = caller
  if (credential.kind !== 'apiToken') {
    const reason = 'the token of this request is not an API token'
    throw new ObjectQueryError('ApiUsageDenied', { reason })
  }
  await store.revokeApiTokens([credential.tokenId], now())
}
