import type { PageState } from './page-token.ts'
import { decodeSetPosition, encodeSetPosition } from './set-cursor.ts'

/**
 * Returns the state that goes on after the last object of a walk, as of now; undefined for a slice,
 * which is a number of objects of its snapshot. Everything that the walk found out at its start is
 * found out again. The retrieval limit keeps counting.
 */
export function continuedState(
  { after, served, end, listedTypes }: PageState,
  { isSet }: { readonly isSet: boolean },
): PageState | undefined {
  if (end !== undefined) return undefined
  const now = { totalCount: undefined, snapshot: undefined, isContinued: true }
  return { after: isSet ? withoutVersions(after) : after, served, listedTypes, ...now }
}

/** The cursor of a set has the versions of a snapshot. */
function withoutVersions(after: PageState['after']): PageState['after'] {
  const position = decodeSetPosition(after.pk)
  return { ...after, pk: encodeSetPosition({ ...position, versions: undefined }) }
}
