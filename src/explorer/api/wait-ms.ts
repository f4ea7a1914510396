const FIRST_MS = 2000
const LONGEST_MS = 30_000

/** Returns the wait before a further attempt. It doubles, unless the service names one. */
export function waitMs(attempt: number, retryAfterSeconds?: number): number {
  if (retryAfterSeconds !== undefined) return Math.min(LONGEST_MS, 1000 * retryAfterSeconds)
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt)
}
