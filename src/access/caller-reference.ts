/** References to callers, with which a link acts later: with the rights that its caller has by then. */
import type { AccessServices } from './access-services.ts'
import {
  ADMIN,
  type Caller,
  type CallerRights,
  callerOfToken,
  refuseExpired,
  toCaller,
  unauthorized,
} from './caller-rights.ts'
import { hashSecret, sameHash } from './credentials.ts'

/** A caller as it is stored. The proof changes with the admin token, and does not reveal it. */
export type CallerReference =
  | { readonly kind: 'adminToken'; readonly proof: string }
  | { readonly kind: 'apiToken'; readonly tokenId: string }
  | { readonly kind: 'openId'; readonly rights: CallerRights }

type ReferenceServices = Pick<AccessServices, 'now' | 'adminTokenHash'> & {
  readonly store: Pick<AccessServices['store'], 'findApiTokenById'>
}

export function referTo(
  caller: Caller,
  { adminTokenHash = '' }: Pick<AccessServices, 'adminTokenHash'>,
): CallerReference {
  const { credential, mayUse: _use, maySee: _see, mayAdminister: _administer, ...rights } = caller
  if (credential.kind === 'apiToken') return credential
  if (credential.kind === 'adminToken') return { ...credential, proof: hashSecret(adminTokenHash) }
  return { ...credential, rights }
}

/** Returns a caller with the rights that it has now. Throws `Default:Unauthorized` if it has none. */
export async function findCaller(
  reference: CallerReference,
  { store, now, adminTokenHash }: ReferenceServices,
): Promise<Caller> {
  switch (reference.kind) {
    case 'adminToken':
      if (adminTokenHash === undefined) throw unauthorized('UNKNOWN')
      if (!sameHash(hashSecret(adminTokenHash), reference.proof)) throw unauthorized('UNKNOWN')
      return ADMIN
    case 'apiToken':
      return callerOfToken(await store.findApiTokenById(reference.tokenId), now())
    case 'openId':
      refuseExpired(reference.rights, now())
      return toCaller(reference.rights, { kind: 'openId' })
  }
}
