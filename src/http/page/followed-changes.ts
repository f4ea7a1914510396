/** What requests for changes follow, one by one or as a stream. */
import { linkedTypesOf } from '../../query/query-tree.ts'
import type { ChangesSpec } from '../../service/changes/changes-walk.ts'
import type { Page } from '../../service/pages/page.ts'

/** Returns what a request follows, as its caller sees it now. */
export type ReadSpec = () => ChangesSpec | Promise<ChangesSpec>

/** True if nothing has changed. */
export function isEmpty({ count, nextPageToken }: Page): boolean {
  return count === 0 && nextPageToken === undefined
}

/** Returns what follows a page. */
export function continued(
  spec: ChangesSpec,
  { nextPageToken, nextChangesToken }: Page,
): ChangesSpec {
  const since = nextChangesToken ?? spec.paging.since
  return { ...spec, paging: { ...spec.paging, since, pageToken: nextPageToken ?? null } }
}

/** Returns the types whose versions change what a request follows. */
export function watchedTypes({ objectType, query }: ChangesSpec): readonly string[] {
  return [objectType, ...linkedTypesOf(query, objectType)].map(({ rid }) => rid)
}
