/** Which changes can be followed, and the token from which they are. */
import { ObjectQueryError } from '../../contract/errors.ts'
import { SET_PAGE_MAX_TYPES } from '../../contract/limits.ts'
import type { Revision } from '../../contract/revisions.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import type { TokenBinding } from '../../paging/page-token.ts'
import type { Moment } from '../../paging/walk-tokens.ts'
import { hasLeftOut } from '../../query/object-set/listed-types.ts'
import { hasKind } from '../../query/query-tree.ts'
import type { Selection } from '../../query/selection.ts'
import { type SetPagePart, typesOfSet } from '../../store/object-store.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { PagedRequest } from './page.ts'
import { bindPage, type PageSpec } from './page-spec.ts'

/** The objects whose changes are followed: of one type, or of several. */
export interface FollowedObjects {
  readonly ontology: Ontology
  readonly revision: Revision
  readonly parts: readonly SetPagePart[]
  /** See `RequestedSet`. */
  readonly listedTypes?: readonly number[] | undefined
}

/** Returns the token from which the changes after a walk can be followed; undefined if they cannot. */
export async function changesAfter(
  request: PagedRequest,
  spec: PageSpec,
  moment: Moment,
  services: ServiceParts,
): Promise<string | undefined> {
  const { ontology, listedTypes, parts } = spec
  const revision = spec.kind === 'set' ? 'v2' : spec.revision
  // Revision 2.0 has no request for changes.
  if (revision === '2.0' || unfollowable(parts) !== undefined) return undefined
  if (hasLeftOut(listedTypes)) return undefined
  const binding = await bindChanges(request, { ontology, revision, parts }, services)
  return services.walkTokens.sealChanges({ ...moment, listedTypes }, binding)
}

/**
 * Returns what changes tokens are bound to, or the later pages after one. The order of a walk does not
 * matter to changes, nor what its records call the properties.
 */
export async function bindChanges(
  request: PagedRequest,
  { ontology, revision, parts }: FollowedObjects,
  services: ServiceParts,
  since = '',
): Promise<TokenBinding> {
  const shown = parts.map((part) => ({
    ...part,
    record: { shape: [], selection: shownProperties(part) },
  }))
  const endpoint = `changes ${revision} ${since}`
  const walk = { order: [], paging: {}, includeTotalCount: false }
  return bindPage(request, { kind: 'set', endpoint, ontology, parts: shown, ...walk }, services)
}

/** Returns the properties of the records; undefined if these have all. */
function shownProperties({ objectType, record: { shape, selection } }: SetPagePart): Selection {
  const renamed = shape.find((part) => 'renamed' in part)?.renamed
  if (renamed === undefined) return selection
  const shown = new Set(renamed.map(({ property }) => property)).add(objectType.primaryKey.apiName)
  return [...objectType.properties.keys()].filter((name) => shown.has(name))
}

export function refuseUnfollowable({ parts }: FollowedObjects): void {
  const reason = unfollowable(parts)
  if (reason !== undefined) {
    throw new ObjectQueryError('Default:InvalidArgument', { parameter: 'where', reason })
  }
}

/** Returns why the matches of queries cannot be followed; undefined if they can. */
function unfollowable(parts: readonly SetPagePart[]): string | undefined {
  if (parts.some(({ query }) => hasKind(query, 'relativeDates'))) {
    return 'has relative dates: objects match or not as time goes by, without a change'
  }
  const { length } = typesOfSet(parts)
  if (length <= SET_PAGE_MAX_TYPES) return undefined
  return `depends on ${length} object types; changes can be followed with up to ${SET_PAGE_MAX_TYPES}`
}
