/** Which changes can be followed, and the token from which they are. */
import { ObjectQueryError } from '../../contract/errors.ts'
import { OTHER_VERSIONS_MAX, type SnapshotState } from '../../paging/page-token.ts'
import { hasKind, linkedTypesOf } from '../../query/query-tree.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { PagedRequest } from './page.ts'
import { bindPage, type TypePageSpec } from './page-spec.ts'

/** The objects whose changes are followed. */
export type FollowedObjects = Pick<
  TypePageSpec,
  'ontology' | 'objectType' | 'revision' | 'query' | 'selection' | 'excludeRid'
>

/**
 * Returns the token from which the changes after a snapshot can be followed; undefined if they
 * cannot.
 */
export async function changesAfter(
  request: PagedRequest,
  objects: FollowedObjects,
  snapshot: SnapshotState,
  services: ServiceParts,
): Promise<string | undefined> {
  // Revision 2.0 has no request for changes.
  if (objects.revision === '2.0' || unfollowable(objects) !== undefined) return undefined
  const binding = await bindPage(request, changesRequest(objects), services)
  return services.walkTokens.sealChanges(snapshot, binding)
}

/** Returns the request that changes tokens are bound to: no order of a walk matters to changes. */
export function changesRequest(objects: FollowedObjects): TypePageSpec {
  const { ontology, objectType, revision, query, selection, excludeRid = false } = objects
  const fixed = { endpoint: 'changes', paging: {}, includeTotalCount: false }
  return { ontology, objectType, revision, query, selection, excludeRid, ...fixed }
}

export function refuseUnfollowable(objects: FollowedObjects): void {
  const reason = unfollowable(objects)
  if (reason !== undefined) {
    throw new ObjectQueryError('Default:InvalidArgument', { parameter: 'where', reason })
  }
}

/** Returns why the matches of a query cannot be followed; undefined if they can. */
function unfollowable({ query, objectType }: FollowedObjects): string | undefined {
  if (hasKind(query, 'relativeDates')) {
    return 'has relative dates: objects match or not as time goes by, without a change'
  }
  const types = linkedTypesOf(query, objectType).length
  if (types <= LINKED_TYPES_MAX) return undefined
  return `links to ${types} other object types; changes can be followed with up to ${LINKED_TYPES_MAX}`
}

/** A page token has the versions of both moments. */
const LINKED_TYPES_MAX = Math.floor((OTHER_VERSIONS_MAX - 1) / 2)
