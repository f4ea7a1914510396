/**
 * Slices of a snapshot: page tokens that divide its objects by key, so that several readers can copy
 * it at the same time. A slice is a number of objects after a cursor. The snapshot never changes, so
 * the slices meet exactly.
 */
import { ruleQuery } from '../../access/ruled-objects.ts'
import { PROBE_RECORD } from '../../contract/object-record.ts'
import type { PageState, SnapshotState } from '../../paging/page-token.ts'
import { NO_CURSOR, pageTokenRefused } from '../../paging/walk-tokens.ts'
import { EVERYTHING } from '../../query/query.ts'
import type { PartEnd, SplitKeys, StoredPage } from '../../store/object-store.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { PagedRequest } from './page.ts'
import { bindPage, type TypePageSpec } from './page-spec.ts'
import { probeRequest } from './probe-request.ts'

/** Returns the page tokens of slices. The spec is that of the list that they are for. */
export async function sealSlices(
  request: PagedRequest,
  spec: TypePageSpec,
  slices: number,
  services: ServiceParts,
): Promise<readonly string[]> {
  const { context } = request
  const { walkTokens, objects } = services
  const { objectType } = spec
  const takenAtSeconds = services.now() / 1000
  const isWhole = ruleQuery(EVERYTHING, objectType).kind === 'everything'
  const split: TypeSplit = isWhole
    ? await objects.splitKeys({ objectType, parts: slices }, context)
    : await splitVisible(request, spec, slices, services)
  context.noteRead([objectType], 0)
  const { version, linkedVersions: otherVersions, count, ends } = split
  const snapshot = { version, takenAtSeconds, ...(otherVersions && { otherVersions }) }
  const binding = await bindPage(request, spec, services)
  return statesOf(snapshot, count, ends).map((state) => {
    const token = walkTokens.seal(state, binding, takenAtSeconds)
    if (token === undefined) throw new Error('a state has a token')
    return token
  })
}

type TypeSplit = SplitKeys & { readonly linkedVersions?: readonly number[] | undefined }

function statesOf(
  snapshot: SnapshotState,
  count: number,
  ends: readonly PartEnd[],
): readonly PageState[] {
  const starts = [{ ...NO_CURSOR, count: 0 }, ...ends.map((end) => ({ ...end, version: 0 }))]
  return starts.map(({ pk, version, count: served }, index) => ({
    after: { pk, version },
    served,
    end: ends[index]?.count ?? count,
    totalCount: count,
    snapshot,
  }))
}

/** The keys that are read at once. */
const KEYS_PER_PAGE = 10_000

/**
 * Divides the objects that the caller may see. Their number and their places must not depend on the
 * others, so their keys are read one after the other.
 */
async function splitVisible(
  { context }: PagedRequest,
  { objectType, query }: TypePageSpec,
  parts: number,
  { objects, admission, limits }: ServiceParts,
): Promise<TypeSplit> {
  const read = async (change: Partial<ReturnType<typeof probeRequest>>): Promise<StoredPage> => {
    const probe = probeRequest(objectType, query, { includeTotalCount: false })
    const page = await objects.readPage({ ...probe, ...change }, context)
    if (page === 'reclaimed') throw pageTokenRefused(undefined, 'reclaimed')
    page.release()
    return page
  }
  const first = await read({ includeTotalCount: true })
  const { version, linkedVersions, totalCount: count = 0 } = first
  const most = Math.min(parts, count)
  const ends: PartEnd[] = []
  let [served, after] = [0, undefined as StoredPage['last']]
  for (let part = 1; part < most; part += 1) {
    const upTo = Math.round((part * count) / most)
    while (served < upTo) {
      await admission.takeTurn(context.callerId)
      const page = await read({
        record: { shape: PROBE_RECORD, selection: undefined },
        after,
        version,
        linkedVersions,
        maxObjects: Math.min(KEYS_PER_PAGE, upTo - served),
        maxBytes: limits.pageMaxBytes,
        matchEstimate: count,
      })
      if (page.last === undefined) return { version, linkedVersions, count, ends }
      served += page.count
      after = page.last
    }
    if (after !== undefined) ends.push({ pk: after.pk, count: served })
  }
  return { version, linkedVersions, count, ends }
}
