/**
 * So few matches are better sorted than found by walking the key: with m matches among n objects,
 * sorting looks at m rows for a page of p, walking at about p times n / m.
 */
export function fewMatches(pageSize: number, liveCount: number): number {
  return Math.ceil(Math.sqrt(pageSize * liveCount))
}
