/** The pages of changes between two versions, and the tokens that lead from one to the next. */
import { isPartlyHidden } from '../../access/policies/ruled-objects.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { Cursor } from '../../paging/cursor.ts'
import type { TokenBinding } from '../../paging/page-token.ts'
import { pageTokenRefused } from '../../paging/walk-tokens.ts'
import { EVERYTHING } from '../../query/query.ts'
import { hasLink, linkedTypesOf } from '../../query/query-tree.ts'
import { changesRequest, type FollowedObjects, refuseUnfollowable } from '../pages/changes-token.ts'
import type { Page, PagedRequest } from '../pages/page.ts'
import { bindPage, type TypePageSpec } from '../pages/page-spec.ts'
import { probeRequest } from '../pages/probe-request.ts'
import type { ServiceParts } from '../service-parts.ts'

/** Which changes are requested. */
export interface ChangesSpec extends FollowedObjects, Pick<TypePageSpec, 'maximumPageSize'> {
  readonly paging: ChangesParameters
}

/** Parameters of a query string or a body. Null means absent. */
interface ChangesParameters {
  /** A changes token, `now`, or a version of the type. */
  readonly since: string
  readonly pageToken?: string | null
  readonly pageSize?: number | null
  /** How many seconds to wait for changes. */
  readonly wait?: number | null
}

/** The versions of the type and of the types that its query links to, as of one moment. */
export interface TypeVersions {
  readonly version: number
  readonly linked: readonly number[]
}

/** The changes after one moment up to another, at the page that is requested. */
export interface ChangesWalk {
  readonly since: TypeVersions
  readonly until: TypeVersions
  /** When `until` was the latest. */
  readonly takenAtSeconds: number
  /** The last change of the previous page. */
  readonly after: Cursor | undefined
  /** Whether changes of linked objects may have changed which objects match. */
  readonly isLinkedChanged: boolean
  readonly bindings: ChangesBindings
  readonly nowSeconds: number
}

interface ChangesBindings {
  readonly ofChanges: TokenBinding
  readonly ofPages: TokenBinding
}

export async function openChangesWalk(
  request: PagedRequest,
  spec: ChangesSpec,
  services: ServiceParts,
): Promise<ChangesWalk> {
  refuseUnfollowable(spec)
  const bindings = {
    ofChanges: await bindPage(request, changesRequest(spec), services),
    ofPages: await bindPage(
      request,
      { ...changesRequest(spec), endpoint: 'changes, later page' },
      services,
    ),
  }
  const nowSeconds = services.now() / 1000
  const range = spec.paging.pageToken
    ? resumeRange(spec.paging.pageToken, bindings.ofPages, nowSeconds, services)
    : await startRange(request, spec, bindings.ofChanges, nowSeconds, services)
  const { since, until } = range
  const isLinkedChanged =
    until.linked.some((version, index) => version !== since.linked[index]) ||
    (until.version !== since.version && isLinkedToItself(spec))
  return { ...range, isLinkedChanged, bindings, nowSeconds }
}

type ChangesRange = Pick<ChangesWalk, 'since' | 'until' | 'takenAtSeconds' | 'after'>

async function startRange(
  { context }: PagedRequest,
  spec: ChangesSpec,
  binding: TokenBinding,
  takenAtSeconds: number,
  services: ServiceParts,
): Promise<ChangesRange> {
  const token = spec.paging.since
  const { objectType, query } = spec
  const isVersion = VERSION.test(token)
  const known =
    token === NOW || isVersion
      ? undefined
      : services.walkTokens.openChanges(token, binding, takenAtSeconds)
  const probed = hasLink(query) ? query : EVERYTHING
  const probe = probeRequest(objectType, probed, { includeTotalCount: false })
  const page = await services.objects.readPage(probe, context)
  // No version is requested, so the latest is read, which is never reclaimed.
  if (page === 'reclaimed') throw pageTokenRefused(token, 'reclaimed')
  page.release()
  const until = { version: page.version, linked: page.linkedVersions ?? [] }
  const since = isVersion
    ? versionsAt(Number(token), spec, until)
    : known && { version: known.version, linked: known.otherVersions ?? [] }
  return { since: since ?? until, until, takenAtSeconds, after: undefined }
}

/** A version of a type, as pages name the one that they show. */
const VERSION = /^\d{1,15}$/

/** Returns the moment of a version. Throws if the caller cannot know it, or if it says too little. */
function versionsAt(
  version: number,
  { objectType, query }: ChangesSpec,
  latest: TypeVersions,
): TypeVersions {
  if (hasLink(query)) {
    const reason = 'is the version of one type, and the set links to others; use a changes token'
    throw new ObjectQueryError('Default:InvalidArgument', { parameter: 'since', reason })
  }
  // Versions also change with what is hidden.
  if (isPartlyHidden(objectType) || version > latest.version) {
    throw new ObjectQueryError('VersionNotFound', { version })
  }
  return { version, linked: [] }
}

/** Follows the changes from now on. */
const NOW = 'now'

function resumeRange(
  pageToken: string,
  binding: TokenBinding,
  nowSeconds: number,
  { walkTokens }: ServiceParts,
): ChangesRange {
  const { snapshot, after } = walkTokens.resume(pageToken, binding, nowSeconds) ?? {}
  if (snapshot === undefined) throw pageTokenRefused(pageToken, 'malformed')
  const [sinceVersion = 0, ...linked] = snapshot.otherVersions ?? []
  const half = linked.length / 2
  return {
    since: { version: sinceVersion, linked: linked.slice(0, half) },
    until: { version: snapshot.version, linked: linked.slice(half) },
    takenAtSeconds: snapshot.takenAtSeconds,
    after,
  }
}

/** Returns the token of the next page, or after the last page that of later changes. */
export function sealChangesWalk(
  { since, until, takenAtSeconds, bindings, nowSeconds }: ChangesWalk,
  after: Cursor | undefined,
  { walkTokens }: ServiceParts,
): Pick<Page, 'nextPageToken' | 'nextChangesToken'> {
  if (after === undefined) {
    const versions = { version: until.version, takenAtSeconds, otherVersions: until.linked }
    return {
      nextPageToken: undefined,
      nextChangesToken: walkTokens.sealChanges(versions, bindings.ofChanges),
    }
  }
  const otherVersions = [since.version, ...since.linked, ...until.linked]
  const snapshot = { version: until.version, takenAtSeconds, otherVersions }
  const state = { after, served: 0, totalCount: undefined, snapshot }
  return { nextPageToken: walkTokens.seal(state, bindings.ofPages, nowSeconds) }
}

function isLinkedToItself({ query, objectType: { rid } }: ChangesSpec): boolean {
  return linkedTypesOf(query, { rid: '' }).some((linked) => linked.rid === rid)
}
