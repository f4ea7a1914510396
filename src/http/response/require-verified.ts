import type { RequestContext } from '../../store/port/request-context.ts'

/** The part of a request that says whether its caller is verified. */
export interface VerifiedRequest {
  readonly context: Pick<RequestContext, 'cachedIdentity'>
}

/**
 * A safety net: throws if a response would leave before the database has verified what its request
 * took from caches. Responses that bypass the framework call it themselves.
 */
export function requireVerified({ context }: VerifiedRequest): void {
  const cached = context?.cachedIdentity
  if (cached !== undefined && !cached.isVerified) throw new Error('the caller is not verified')
}
