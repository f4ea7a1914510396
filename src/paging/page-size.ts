/**
 * The page size that a request gets. The hint is a suggestion [4.1.2]: what is above the endpoint's
 * maximum is reduced to it, never refused. The schemas of `http/` refuse what is no page size.
 */
export function effectivePageSize(hint: number | undefined, endpointMaximum: number): number {
  return Math.min(hint ?? endpointMaximum, endpointMaximum)
}
