/**
 * Reads a page over several object types. Its cursor has the part that the page ended in and, in a
 * snapshot walk, the version of every type, all as of one moment.
 */

import { ObjectQueryError } from '../../contract/errors.ts'
import { SET_PAGE_MAX_TYPES } from '../../contract/limits.ts'
import { decodeSetPosition, encodeSetPosition } from '../../paging/set-cursor.ts'
import {
  type Cursor,
  type Objects,
  type ReadSetPageRequest,
  type Reclaimed,
  type SetPagePart,
  type StoredPage,
  typesOfSet,
} from '../../store/object-store.ts'
import type { RequestContext } from '../../store/port/request-context.ts'

type PartsRequest = Omit<ReadSetPageRequest, 'after' | 'versions'> & {
  readonly after: Cursor | undefined
}

export async function readParts(
  { after, ...request }: PartsRequest,
  isSnapshot: boolean,
  context: RequestContext,
  { objects }: { readonly objects: Pick<Objects, 'readSetPage'> },
): Promise<StoredPage | Reclaimed> {
  const position = after && decodeSetPosition(after.pk)
  const stored = await objects.readSetPage(
    {
      ...request,
      after: position && { ...position, version: after.version },
      versions: position?.versions,
    },
    context,
  )
  if (stored === 'reclaimed') return stored
  const { versions, last, ...page } = stored
  const [version = 0, ...linkedVersions] = versions
  // The first page of a snapshot walk fixes the versions that all later pages read.
  const fixed = isSnapshot ? (position?.versions ?? versions) : undefined
  return {
    ...page,
    last: last && {
      pk: encodeSetPosition({ part: last.part, pk: last.pk, versions: fixed }),
      version: last.version,
    },
    version,
    linkedVersions,
    matchEstimate: undefined,
  }
}

export function refuseManyTypes(parts: readonly SetPagePart[]): void {
  const { length } = typesOfSet(parts)
  if (length <= SET_PAGE_MAX_TYPES) return
  throw new ObjectQueryError('UnsupportedObjectSet', {
    reason: `reads ${length} object types; one request can read ${SET_PAGE_MAX_TYPES}`,
  })
}
