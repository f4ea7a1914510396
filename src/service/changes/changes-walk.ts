/** The two moments between which a page lists changes. */
import { ShownVersion } from '../../access/ruled-objects.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { PROBE_RECORD } from '../../contract/object-record.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { PageState, TokenBinding } from '../../paging/page-token.ts'
import { decodeSetPosition } from '../../paging/set-cursor.ts'
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
import type { FollowedObjects } from '../pages/changes-token.ts'
import type { PagedRequest } from '../pages/page.ts'
import { probeRequest } from '../pages/probe-request.ts'
import type { WalkMoment } from '../pages/walk.ts'
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
export interface ChangesRange {
  readonly parts: readonly PartRange[]
  /** The last change of the previous page. */
  readonly after: SetCursor | undefined
  /** The versions of all types at the later moment, and when they were the latest. */
  readonly until: readonly number[]
  readonly takenAtSeconds: number
}

/** Returns the range of a page. `known` are the versions of its changes token, if it has one. */
export async function openRange(
  { context }: PagedRequest,
  spec: ChangesSpec,
  known: readonly number[] | undefined,
  { resumed, nowSeconds }: WalkMoment,
  services: ServiceParts,
): Promise<ChangesRange> {
  const { since: token, pageToken } = spec.paging
  const range = resumed
    ? resumeRange(pageToken, resumed)
    : {
        until: await readVersions(typesOfSet(spec.parts), context, services),
        takenAtSeconds: nowSeconds,
        after: undefined,
      }
  const { until } = range
  // A restored store has lost versions, and with them what the token has seen.
  if (known?.some((version, index) => version > (until[index] ?? 0))) {
    throw changesTokenRefused(token, 'future')
  }
  const since = VERSION.test(token) ? versionsAt(Number(token), spec, until) : (known ?? until)
  return { ...range, parts: rangesOf(spec.parts, since, until) }
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
  for (const { objectType } of parts) ShownVersion.named(objectType, version)
  if (version > latest) throw new ObjectQueryError('VersionNotFound', { version })
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
  pageToken: string | null | undefined,
  { snapshot, after }: PageState,
): Omit<ChangesRange, 'parts'> {
  const { versions, part, pk } = decodeSetPosition(after.pk)
  if (snapshot === undefined || versions === undefined) {
    throw pageTokenRefused(pageToken, 'malformed')
  }
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

function isLinkedToItself({ query, objectType: { rid } }: SetPagePart): boolean {
  return linkedTypesOf(query, { rid: '' }).some((linked) => linked.rid === rid)
}
