/**
 * A page over several object types. Like `read-page.ts`: opens the token, reads the store, seals
 * the next token. The token carries the part that the page ended in and, in a snapshot walk, the
 * version of every type, all as of one moment.
 */
import { nextTurn } from '../../admission/next-turn.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import {
  SET_PAGE_MAX_QUERY_BYTES,
  SET_PAGE_MAX_TYPES,
  V2_PAGE_SIZES,
} from '../../contract/limits.ts'
import { shapeKey } from '../../contract/object-record.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import { nextPageState, type WalkState } from '../../paging/next-page.ts'
import { effectivePageSize } from '../../paging/page-size.ts'
import type { PageState, TokenBinding } from '../../paging/page-token.ts'
import { decodeSetPosition, encodeSetPosition, type SetPosition } from '../../paging/set-cursor.ts'
import { plainQuery, typeIdentity } from '../../query/linked-types.ts'
import { resolveRelativeDates } from '../../query/relative-dates.ts'
import { isPartlyHidden } from '../../query/rights/restricted-type.ts'
import {
  type ReadSetPageRequest,
  type SetOrderTerm,
  type SetPagePart,
  type StoredSetPage,
  typesOfSet,
} from '../../store/object-store.ts'
import { digest } from '../../http/response/entity-tag.ts'
import type { PagingParameters } from '../../http/schemas/paging.ts'
import type { Services } from '../../http/services.ts'
import { holdPage } from '../../http/page/hold-page.ts'
import { openWalk, type PagedRequest, pageTokenRefused } from './open-walk.ts'
import { startOfWalk } from './read-object-page.ts'
import type { Page } from '../../http/page/send-page.ts'

/** The page that an endpoint requests. */
export interface SetPageSpec {
  /** Page tokens are valid only for requests with the same value. */
  readonly endpoint: string
  readonly ontology: Ontology
  readonly parts: readonly SetPagePart[]
  /** Part after part, each in key order, if empty. */
  readonly order: readonly SetOrderTerm[]
  readonly paging: PagingParameters
  /** Whether the response contains `totalCount`. */
  readonly includeTotalCount: boolean
  /** For page tokens of a set that lists objects; see `RequestedSet`. */
  readonly listedTypes?: readonly number[] | undefined
}

export async function readSetPage(
  request: PagedRequest,
  spec: SetPageSpec,
  services: Services,
): Promise<Page> {
  const { walkTokens, memory, limits, admission, store } = services
  const { context } = request
  const types = typesOfSet(spec.parts)
  refuseManyTypes(types.length)
  const isTaggedByContent = types.some(isPartlyHidden)
  const nowSeconds = services.now() / 1000
  const binding = await bindingOf(request, spec, services)
  const { pageToken, snapshot: isSnapshot = false, pageSize } = spec.paging
  const resumed = openWalk(pageToken, binding, nowSeconds, services)
  const position = resumed && decodeSetPosition(resumed.after.pk)
  const startedAtMs = startOfWalk(resumed) ?? nowSeconds * 1000
  const parts = resolveDates(spec.parts, startedAtMs)

  memory.refuseWhenFull(context.callerId)
  const { round } = admission
  const pageRequest: ReadSetPageRequest = {
    parts,
    order: spec.order,
    after: position && { ...position, version: resumed.after.version },
    versions: position?.versions,
    maxObjects: effectivePageSize(pageSize ?? V2_PAGE_SIZES.default, V2_PAGE_SIZES.maximum),
    maxBytes: limits.pageMaxBytes,
    // The token of a counted walk carries the count.
    includeTotalCount: spec.includeTotalCount && resumed?.totalCount === undefined,
  }
  const stored = await context.timeStore(() => store.readSetPage(pageRequest, context))
  if (stored === 'reclaimed') throw pageTokenRefused(pageToken, 'reclaimed')
  context.objects = stored.count
  context.noteRead(types, stored.count)
  const turn = holdPage(stored, round, context, services)
  if (turn !== undefined) await turn

  const totalCount = resumed?.totalCount ?? stored.totalCount
  const walk = {
    alreadySent: resumed?.served ?? 0,
    totalCount,
    nowSeconds,
    startedAtMs: parts === spec.parts ? undefined : startedAtMs,
    listedTypes: spec.listedTypes,
  }
  const next = nextState(stored, isSnapshot === true ? { resumed, position } : undefined, walk)
  return {
    records: stored.records,
    nextPageToken: walkTokens.seal(next, binding, nowSeconds),
    totalCount: spec.includeTotalCount ? (totalCount ?? 0) : undefined,
    version: parts.length === 1 && !isTaggedByContent ? stored.versions[0] : undefined,
    isTaggedByContent,
    etagInputs: [
      binding.request.toString('base64url'),
      binding.caller.toString('base64url'),
      // Records contain the names, which can change without a new version.
      walkTokens.hashText(
        JSON.stringify(types.map(({ apiName, titleProperty }) => [apiName, titleProperty])),
      ),
      // Relative dates select other objects the next day.
      ...(parts === spec.parts ? [] : [digest(JSON.stringify(parts.map(plainPart)))]),
      ...(isTaggedByContent ? [] : stored.versions),
      walk.alreadySent,
      stored.count,
      totalCount ?? 0,
      // An object that follows the last page changes nothing else.
      next === undefined ? 0 : 1,
      ...walkTokens.etagInputs(nowSeconds),
    ],
  }
}

/** The state of a snapshot walk before this page; both members are undefined on the first page. */
interface SnapshotWalk {
  readonly resumed: PageState | undefined
  readonly position: SetPosition | undefined
}

function nextState(
  { last, count, more, versions }: StoredSetPage,
  snapshotWalk: SnapshotWalk | undefined,
  walk: Omit<WalkState, 'snapshot'> & { readonly nowSeconds: number },
): PageState | undefined {
  // The first page of a snapshot walk fixes the versions that all later pages read.
  const fixed = snapshotWalk && (snapshotWalk.position?.versions ?? versions)
  const cursor = last && {
    pk: encodeSetPosition({ part: last.part, pk: last.pk, versions: fixed }),
    version: last.version,
  }
  const snapshot = snapshotWalk && {
    version: 0,
    takenAtSeconds: snapshotWalk.resumed?.snapshot?.takenAtSeconds ?? walk.nowSeconds,
  }
  return nextPageState({ count, last: cursor, more }, { ...walk, snapshot })
}

/** Returns the parts with absolute dates; the same list if they have no relative ones. */
function resolveDates(parts: readonly SetPagePart[], atMs: number): readonly SetPagePart[] {
  const resolved = parts.map((part) => {
    const query = resolveRelativeDates(part.query, atMs)
    return query === part.query ? part : { ...part, query }
  })
  return resolved.every((part, index) => part === parts[index]) ? parts : resolved
}

function refuseManyTypes(count: number): void {
  if (count <= SET_PAGE_MAX_TYPES) return
  throw new ObjectQueryError('UnsupportedObjectSet', {
    reason: `reads ${count} object types; one request can read ${SET_PAGE_MAX_TYPES}`,
  })
}

async function bindingOf(
  { caller }: PagedRequest,
  spec: SetPageSpec,
  { walkTokens }: Services,
): Promise<TokenBinding> {
  const { endpoint, ontology, parts, order, paging } = spec
  const request = {
    endpoint,
    revision: 'v2',
    ontologyRid: ontology.rid,
    objectType: parts.map((part) => typeIdentity(part.objectType)).join(';'),
    query: await digestParts(parts),
    order,
    selection: undefined,
    snapshot: paging.snapshot ?? false,
  } as const
  return walkTokens.bind(request, caller.id, ontology.viewId)
}

/** How much text is hashed before other requests get a turn; hashing it takes a millisecond. */
const HASHED_AT_ONCE = 1024 * 1024

async function digestParts(parts: readonly SetPagePart[]): Promise<readonly string[]> {
  const digests: string[] = []
  let total = 0
  let sinceTurn = 0
  for (const part of parts) {
    const text = JSON.stringify(plainPart(part))
    total += text.length
    sinceTurn += text.length
    if (total > SET_PAGE_MAX_QUERY_BYTES) throw tooLarge(parts.length)
    digests.push(digest(text))
    if (sinceTurn < HASHED_AT_ONCE) continue
    await nextTurn()
    sinceTurn = 0
  }
  return digests
}

function tooLarge(typeCount: number): ObjectQueryError {
  const reason = `its queries of ${typeCount} object types have more than ${SET_PAGE_MAX_QUERY_BYTES} bytes together; ask for fewer types or values`
  return new ObjectQueryError('UnsupportedObjectSet', { reason })
}

/** Returns what a part selects and how it is written, as plain data. */
function plainPart({ query, record: { shape, selection } }: SetPagePart) {
  return [plainQuery(query), shapeKey(shape), selection ?? null]
}
