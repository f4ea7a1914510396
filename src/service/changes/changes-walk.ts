/** The pages of changes between two moments, and the tokens that lead from one to the next. */
import { isPartlyHidden } from '../../access/policies/ruled-objects.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { PROBE_RECORD } from '../../contract/object-record.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { TokenBinding } from '../../paging/page-token.ts'
import { decodeSetPosition, encodeSetPosition } from '../../paging/set-cursor.ts'
import { changesTokenRefused, pageTokenRefused } from '../../paging/walk-tokens.ts'
import { EVERYTHING } from '../../query/query.ts'
import { linkedTypesOf } from '../../query/query-tree.ts'
import {
  type SetCursor,
  type SetPagePart,
  typesOfSet,
  versionsOfPart,
} from '../../store/object-store.ts'
import type { RequestContext } from '../../store/port/request-context.ts'
import { bindChanges, type FollowedObjects, refuseUnfollowable } from '../pages/changes-token.ts'
import type { Page, PagedRequest } from '../pages/page.ts'
import { probeRequest } from '../pages/probe-request.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { ChangeForm } from './change-form.ts'

/** Which changes are requested. */
export interface ChangesSpec extends FollowedObjects {
  readonly paging: ChangesParameters
  readonly maximumPageSize?: number
  /** `CHANGES` by default. */
  readonly form?: ChangeForm
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

/** The versions of a type and of the types that its query links to, as of one moment. */
export interface TypeVersions {
  readonly version: number
  readonly linked: readonly number[]
}

/** The changes of one type after one moment up to another. */
export interface PartRange extends SetPagePart {
  readonly since: TypeVersions
  readonly until: TypeVersions
  /** Whether changes of linked objects may have changed which objects match. */
  readonly isLinkedChanged: boolean
}

/** The changes after one moment up to another, at the page that is requested. */
export interface ChangesWalk {
  readonly parts: readonly PartRange[]
  /** The last change of the previous page. */
  readonly after: SetCursor | undefined
  /** The versions of all types at the later moment, and when they were the latest. */
  readonly until: readonly number[]
  readonly takenAtSeconds: number
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
  const { since: token, pageToken } = spec.paging
  const bindings = {
    ofChanges: await bindChanges(request, spec, services),
    ofPages: await bindChanges(request, spec, services, token),
  }
  const nowSeconds = services.now() / 1000
  const isVersion = VERSION.test(token)
  const known = openMoment(spec, bindings.ofChanges, services)
  const range = pageToken
    ? resumeRange(pageToken, bindings.ofPages, nowSeconds, services)
    : {
        until: await readVersions(typesOfSet(spec.parts), request.context, services),
        takenAtSeconds: nowSeconds,
        after: undefined,
      }
  const { until } = range
  // A restored store has lost versions, and with them what the token has seen.
  if (known?.some((version, index) => version > (until[index] ?? 0))) {
    throw changesTokenRefused(token, 'future')
  }
  const since = isVersion ? versionsAt(Number(token), spec, until) : (known ?? until)
  const parts = rangesOf(spec.parts, since, until)
  return { ...range, parts, bindings, nowSeconds }
}

/** Returns the versions of the token that a request goes on from; undefined if it has none. */
export function openMoment(
  { paging: { since } }: ChangesSpec,
  binding: TokenBinding,
  { walkTokens, now }: ServiceParts,
): readonly number[] | undefined {
  if (since === NOW || VERSION.test(since)) return undefined
  return walkTokens.openChanges(since, binding, now() / 1000)
}

/** A version of a type, as pages name the one that they show. */
const VERSION = /^\d{1,15}$/

/** Returns the moment of a version. Throws if the caller cannot know it, or if it says too little. */
function versionsAt(
  version: number,
  { parts }: ChangesSpec,
  [latest = 0, ...others]: readonly number[],
): readonly number[] {
  if (others.length > 0) {
    const reason = 'is the version of one type, and the set depends on several; use a changes token'
    throw new ObjectQueryError('Default:InvalidArgument', { parameter: 'since', reason })
  }
  // Versions also change with what is hidden.
  if (parts.some(({ objectType }) => isPartlyHidden(objectType)) || version > latest) {
    throw new ObjectQueryError('VersionNotFound', { version })
  }
  return [version]
}

/** Follows the changes from now on. */
export const NOW = 'now'

/** Returns the latest versions of types, all as of one moment. */
async function readVersions(
  types: readonly ObjectType[],
  context: RequestContext,
  { objects }: ServiceParts,
): Promise<readonly number[]> {
  const [first, ...others] = types
  const record = { shape: PROBE_RECORD, selection: undefined }
  const page =
    first !== undefined && others.length === 0
      ? await objects.readPage(
          probeRequest(first, EVERYTHING, { includeTotalCount: false }),
          context,
        )
      : await objects.readSetPage(
          {
            parts: types.map((objectType) => ({ objectType, query: EVERYTHING, record })),
            order: [],
            after: undefined,
            versions: undefined,
            maxObjects: 1,
            maxBytes: 1,
            includeTotalCount: false,
          },
          context,
        )
  // No version is requested, so the latest is read, which is never reclaimed.
  if (page === 'reclaimed') throw pageTokenRefused(undefined, 'reclaimed')
  page.release()
  return 'versions' in page ? page.versions : [page.version]
}

function resumeRange(
  pageToken: string,
  binding: TokenBinding,
  nowSeconds: number,
  { walkTokens }: ServiceParts,
): Pick<ChangesWalk, 'until' | 'takenAtSeconds' | 'after'> {
  const { snapshot, after } = walkTokens.resume(pageToken, binding, nowSeconds) ?? {}
  if (snapshot === undefined || after === undefined) throw pageTokenRefused(pageToken, 'malformed')
  const { versions = [], part, pk } = decodeSetPosition(after.pk)
  const { takenAtSeconds } = snapshot
  return { until: versions, takenAtSeconds, after: { part, pk, version: after.version } }
}

function rangesOf(
  parts: readonly SetPagePart[],
  earlier: readonly number[],
  later: readonly number[],
): readonly PartRange[] {
  return parts.map((part) => {
    const [since, until] = [earlier, later].map((versions): TypeVersions => {
      const { version = 0, linkedVersions = [] } = versionsOfPart({ parts, versions }, part)
      return { version, linked: linkedVersions }
    }) as [TypeVersions, TypeVersions]
    const isLinkedChanged =
      until.linked.some((version, index) => version !== since.linked[index]) ||
      (until.version !== since.version && isLinkedToItself(part))
    return { ...part, since, until, isLinkedChanged }
  })
}

/** Returns the token of the next page, or after the last page that of later changes. */
export function sealChangesWalk(
  { until: versions, takenAtSeconds, bindings, nowSeconds }: ChangesWalk,
  { listedTypes }: ChangesSpec,
  after: SetCursor | undefined,
  { walkTokens }: ServiceParts,
): Pick<Page, 'nextPageToken' | 'nextChangesToken'> {
  if (after === undefined) {
    const moment = { versions, takenAtSeconds, listedTypes }
    return {
      nextPageToken: undefined,
      nextChangesToken: walkTokens.sealChanges(moment, bindings.ofChanges),
    }
  }
  const { part, pk, version } = after
  const cursor = { pk: encodeSetPosition({ part, pk, versions }), version }
  const snapshot = { version: 0, takenAtSeconds }
  const state = { after: cursor, served: 0, totalCount: undefined, snapshot }
  return { nextPageToken: walkTokens.seal(state, bindings.ofPages, nowSeconds) }
}

function isLinkedToItself({ query, objectType: { rid } }: SetPagePart): boolean {
  return linkedTypesOf(query, { rid: '' }).some((linked) => linked.rid === rid)
}
