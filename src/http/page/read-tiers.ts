/**
 * Reads a page of the matches of a query in the order of their relevance: tier after tier, each in
 * key order. All tiers are read as of one version. The cursor of a key order does not use the
 * version of its row, so the number of the tier takes its place.
 */
import type { RequestContext } from '../../admission/request-context.ts'
import type { RecordShape } from '../../contract/object-record.ts'
import { type RelevanceTier, relevanceTiers } from '../../query/relevance.ts'
import type {
  Cursor,
  ObjectStore,
  ReadPageRequest,
  Reclaimed,
  StoredPage,
} from '../../store/object-store.ts'

/** The smallest record, to find out whether there is one. */
const PROBE: RecordShape = [{ column: 'key' }]

export async function readTiers(
  request: ReadPageRequest,
  shapeOf: (score: number) => RecordShape,
  context: RequestContext,
  store: Pick<ObjectStore, 'readPage'>,
): Promise<StoredPage | Reclaimed> {
  const pages: StoredPage[] = []
  const release = () => {
    for (const page of pages) page.release()
  }
  try {
    const walked = await walkTiers(pages, request, shapeOf, context, store)
    if (walked === 'reclaimed') return walked
    const { version, linkedVersions } = walked
    const start = { after: undefined, version, linkedVersions }
    const counted = { ...request, ...start, maxObjects: 1, maxBytes: 1 }
    const count = request.includeTotalCount ? await readProbe(counted, context, store) : undefined
    const totalCount = count === 'reclaimed' ? undefined : count?.totalCount
    return { ...walked, ...joined(pages), totalCount, matchEstimate: undefined }
  } finally {
    release()
  }
}

type WalkedTiers = Pick<StoredPage, 'last' | 'more' | 'version' | 'linkedVersions'>

/** Reads the tiers that the page takes objects from, and adds their pages. */
async function walkTiers(
  pages: StoredPage[],
  request: ReadPageRequest,
  shapeOf: (score: number) => RecordShape,
  context: RequestContext,
  store: Pick<ObjectStore, 'readPage'>,
): Promise<WalkedTiers | Reclaimed> {
  const first = request.after?.version ?? 0
  let { version, linkedVersions, maxObjects, maxBytes } = request
  let last: Cursor | undefined
  for (const [offset, { query, score }] of tiersFrom(request, first).entries()) {
    const after = offset === 0 ? request.after : undefined
    const record = { ...request.record, shape: shapeOf(score) }
    const tier: ReadPageRequest = {
      ...request,
      query,
      after,
      version,
      linkedVersions,
      record,
      maxObjects,
      maxBytes,
      includeTotalCount: false,
      matchEstimate: undefined,
    }
    const isFull = maxObjects === 0 || maxBytes <= 0
    const page = isFull
      ? await readProbe({ ...tier, maxObjects: 1, maxBytes: 1 }, context, store)
      : await store.readPage(tier, context)
    if (page === 'reclaimed') return page
    version = page.version
    linkedVersions = page.linkedVersions
    // A page holds at least one object, which may be too large for what is left of the budget.
    if (page.count > 0 && (isFull || (last !== undefined && page.records.length > maxBytes))) {
      page.release()
      return { last, more: true, version, ...(linkedVersions && { linkedVersions }) }
    }
    pages.push(page)
    if (page.last !== undefined) last = { pk: page.last.pk, version: first + offset }
    if (page.more) return { last, more: true, version, ...(linkedVersions && { linkedVersions }) }
    maxObjects -= page.count
    maxBytes -= page.records.length + 1
  }
  return { last, more: false, version: version ?? 0, ...(linkedVersions && { linkedVersions }) }
}

function tiersFrom({ query }: ReadPageRequest, first: number): RelevanceTier[] {
  return relevanceTiers(query).slice(first)
}

/** Reads whether there is an object, and how many. */
async function readProbe(
  request: ReadPageRequest,
  context: RequestContext,
  store: Pick<ObjectStore, 'readPage'>,
): Promise<StoredPage | Reclaimed> {
  const page = await store.readPage(
    { ...request, record: { shape: PROBE, selection: undefined } },
    context,
  )
  if (page !== 'reclaimed') page.release()
  return page
}

function joined(pages: readonly StoredPage[]): Pick<StoredPage, 'records' | 'release' | 'count'> {
  const filled = pages.filter(({ count }) => count > 0)
  const parts = filled.flatMap(({ records }, index) => (index === 0 ? [records] : [COMMA, records]))
  const count = filled.reduce((sum, page) => sum + page.count, 0)
  return { records: Buffer.concat(parts), release: () => {}, count }
}

const COMMA = Buffer.from(',')
