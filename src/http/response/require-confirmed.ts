import type { RequestContext } from '../../admission/request-context.ts'

/**
 * A safety net: throws if a response would leave before the database has confirmed what its request
 * took from memory. Responses that bypass the framework call it themselves.
 */
export function requireConfirmed({ recalled }: Pick<RequestContext, 'recalled'>): void {
  if (recalled !== undefined) throw new Error('the caller is not confirmed')
}
