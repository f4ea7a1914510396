/** Authentication: from the `Authorization` header to the caller and its rights. */
import { hash, timingSafeEqual } from 'node:crypto'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import type { Services } from '../services.ts'

/** The caller of a request. Authenticated for every request, including every page [5.1]. */
export interface Caller {
  /** Page tokens and limits are bound to it. */
  readonly id: string
  /** RIDs and API names of the ontologies that the token is limited to; undefined for all. */
  readonly ontologies: readonly string[] | undefined
  readonly mayUse: (scope: Scope) => boolean
  readonly maySee: (ontology: Pick<Ontology, 'rid' | 'apiName'>) => boolean
}

const ADMIN: Caller = {
  id: 'admin',
  ontologies: undefined,
  mayUse: () => true,
  maySee: () => true,
}

/** The scheme is case-insensitive, followed by one or more spaces (RFC 9110, 11.1 and 11.4). */
const BEARER = /^bearer +/i

/** Hashes a bearer token. Tokens are long and random, so a fast hash is as safe as a slow one. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** Returns the caller that an `Authorization` header identifies. Throws if it is not valid. */
export async function authenticate(
  authorization: string | undefined,
  address: string,
  { store, admission, adminTokenHash, now }: Services,
): Promise<Caller> {
  if (authorization === undefined) throw new ObjectQueryError('MissingCredentials')
  const scheme = BEARER.exec(authorization)
  if (scheme === null) {
    throw new ObjectQueryError('Default:Unauthorized', { error: 'NOT_A_BEARER_TOKEN' })
  }
  const secretHash = hashSecret(authorization.slice(scheme[0].length))
  if (adminTokenHash !== undefined && sameHash(secretHash, adminTokenHash)) return ADMIN

  const find = () => store.findApiToken(secretHash)
  const token = await admission.lookUp(secretHash, address, find)
  if (token === undefined) throw new ObjectQueryError('Default:Unauthorized', { error: 'UNKNOWN' })
  if (token.revokedAtMs !== undefined) {
    throw new ObjectQueryError('Default:Unauthorized', { error: 'REVOKED' })
  }
  if (token.expiresAtMs !== undefined && token.expiresAtMs <= now()) {
    throw new ObjectQueryError('Default:Unauthorized', { error: 'EXPIRED' })
  }
  if (!admission.isKnown(secretHash)) admission.noteKnown(secretHash)
  return {
    id: token.id,
    ontologies: token.ontologies,
    mayUse: (scope) => token.scopes.includes(scope),
    maySee: ({ rid, apiName }) =>
      token.ontologies === undefined ||
      token.ontologies.includes(rid) ||
      token.ontologies.includes(apiName),
  }
}

export function requireScope(caller: Caller, scope: Scope): void {
  if (!caller.mayUse(scope)) throw new ObjectQueryError('ApiUsageDenied', { missingScope: scope })
}

function sameHash(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
