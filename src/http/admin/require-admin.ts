import { ObjectQueryError } from '../../contract/errors.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { App } from '../app.ts'

export const ADMIN_SCOPE: Scope = 'api:admin'

/**
 * Refuses callers that are limited to ontologies on the endpoints of `app`: whoever can create tokens
 * can create one without that limit.
 */
export function refuseLimitedCallers(app: App): void {
  app.addHook('preValidation', async ({ caller }) => {
    if (caller.ontologies === undefined) return
    const reason = 'the token is limited to certain ontologies, and administration is not'
    throw new ObjectQueryError('ApiUsageDenied', { reason })
  })
}
