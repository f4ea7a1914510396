/**
 * Returns the page size of a request. The client's number is a hint [4.1.2]: a value above the
 * maximum of the endpoint is reduced to it. The request schemas reject what is not a page size.
 */
export function effectivePageSize(hint: number | undefined, endpointMaximum: number): number {
  return Math.min(hint ?? endpointMaximum, endpointMaximum)
}
