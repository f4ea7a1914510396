const FIRST_MS = 2000
const LONGEST_MS = 30_000

/** Returns the wait before a further attempt. It doubles, unless the service names one. */
export function waitMs(attempt: number, retryAfterMs?: number): number {
  if (retryAfterMs !== undefined) return Math.min(LONGEST_MS, retryAfterMs)
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt)
}
