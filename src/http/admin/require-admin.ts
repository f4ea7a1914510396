import type { Caller } from '../../access/caller.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import type { App } from '../app.ts'

export const ADMIN_SCOPE: Scope = 'api:admin'

/**
 * Refuses callers that are limited to ontologies on the endpoints of `app`: a caller that can
 * create tokens could create one without that limit.
 */
export function refuseLimitedCallers(app: App): void {
  app.addHook('preValidation', async ({ caller }) => refuseLimitedCaller(caller))
}

export function refuseLimitedCaller({
  ontologies,
  policies,
}: Pick<Caller, 'ontologies' | 'policies'>): void {
  if (ontologies === undefined && policies === undefined) return
  const reason = 'the token is limited to certain ontologies, and administration is not'
  throw new ObjectQueryError('ApiUsageDenied', { reason })
}

/** Throws `ApiUsageDenied` if policies do not allow the caller to change a definition. */
export function requireAdministration(caller: Caller, ontology: Ontology | undefined): void {
  if (ontology === undefined || caller.mayAdminister(ontology)) return
  const reason = 'the policies of the token do not allow administering the ontology'
  throw new ObjectQueryError('ApiUsageDenied', { ontology: ontology.apiName, reason })
}
