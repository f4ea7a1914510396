/**
 * Results that a reader process sends in pieces. A message of many megabytes would block the event
 * loop of the service, which copies each message twice before it can use it.
 */

/** A result whose records are in pieces. */
interface PiecedResult {
  readonly records: readonly Uint8Array[]
}

/** Returns the pieces of a result, to be sent before the result without them. */
export function splitResult(result: unknown): {
  readonly pieces: readonly Uint8Array[]
  readonly rest: unknown
} {
  if (!isPieced(result)) return { pieces: [], rest: result }
  return { pieces: result.records, rest: { ...result, records: [] } }
}

/** Returns the result again. */
export function joinResult(pieces: readonly Uint8Array[], rest: unknown): unknown {
  return isPieced(rest) ? { ...rest, records: pieces } : rest
}

function isPieced(result: unknown): result is PiecedResult {
  if (typeof result !== 'object' || result === null || !('records' in result)) return false
  return Array.isArray(result.records)
}
