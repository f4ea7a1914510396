/**
 * The objects of a store, with answers from columns where they are faster. A page whose rows the
 * database can read one after the other stays with the database; everything that depends on all
 * objects is asked of the columns first. They name the objects of a page, and the database supplies
 * the records: all of one version.
 */

import { ObjectQueryError } from '../../contract/errors.ts'
import { joinRecords } from '../core/pages/merge-parts.ts'
import type {
  AggregateRequest,
  AggregateResult,
  Objects,
  QuickPages,
  ReadPageRequest,
  ReadRecordsRequest,
  ReadSetPageRequest,
  Reclaimed,
  StoredPage,
  StoredSetPage,
} from '../object-store.ts'
import { INTERNAL_CONTEXT, type RequestContext } from '../port/request-context.ts'
import { queryTimedOut } from '../slow-queries.ts'
import { isIndexedComparison, isKeyWalk, isQuick } from '../sql/plan/plan-rules.ts'
import type { ColumnsClient } from './columns-client.ts'
import { typesOf } from './process/answer-question.ts'
import type { Answers, FindPageRequest, Question, Requests } from './process/messages.ts'

/** Columns that have not answered by then may never answer. */
const LATE_MS = 100

/** Returns the objects of a store, answered from columns where possible. */
export function withColumns(
  objects: Objects & QuickPages,
  columns: Pick<ColumnsClient, 'ask'>,
  queryTimeoutMs: number,
): Objects {
  const ask: Ask = async (kind, request, context) => {
    const question = { kind, request } as Question
    const read = async () => {
      const delay = setTimeout(() => objects.prepareSlowQueries?.(), LATE_MS)
      try {
        return await askWithin(columns, question, context, queryTimeoutMs)
      } finally {
        clearTimeout(delay)
      }
    }
    return (await (objects.readElsewhere?.(read) ?? read())) as never
  }
  return {
    encoding: objects.encoding,
    readPage: (request, context = INTERNAL_CONTEXT) => readPage(objects, ask, request, context),
    readSetPage: (request, context = INTERNAL_CONTEXT) =>
      readSetPage(objects, ask, request, context),
    aggregate: (request, context = INTERNAL_CONTEXT) => aggregate(objects, ask, request, context),
    readRecords: (...of) => objects.readRecords(...of),
    listChanges: (...of) => objects.listChanges(...of),
    splitKeys: (...of) => objects.splitKeys(...of),
    findTypes: (...of) => objects.findTypes(...of),
    commit: (...of) => objects.commit(...of),
    edit: (...of) => objects.edit(...of),
    applyTransactions: (...of) => objects.applyTransactions(...of),
    deleteMatches: (...of) => objects.deleteMatches(...of),
    startReplacement: (...of) => objects.startReplacement(...of),
    publishReplacement: (...of) => objects.publishReplacement(...of),
    abandonReplacement: (...of) => objects.abandonReplacement(...of),
  }
}

/** Returns undefined if the database must answer. */
type Ask = <Kind extends keyof Requests>(
  kind: Kind,
  request: Requests[Kind],
  context: RequestContext,
) => Promise<Answers[Kind] | undefined>

async function askWithin(
  columns: Pick<ColumnsClient, 'ask'>,
  question: Question,
  context: RequestContext,
  timeoutMs: number,
): Promise<unknown> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(queryTimedOut(timeoutMs)), timeoutMs)
  try {
    return await columns.ask(question, [...typesOf(question).keys()], {
      callerId: context.callerId,
      signal: AbortSignal.any([context.signal(), timeout.signal]),
    })
  } finally {
    clearTimeout(timer)
  }
}

async function readPage(
  objects: Objects & QuickPages,
  ask: Ask,
  request: ReadPageRequest,
  context: RequestContext,
): Promise<StoredPage | Reclaimed> {
  if (isKeyWalk(request)) return objects.readPage(request, context)
  const quickPage = mayBeQuick(request) ? await objects.readQuickPage(request, context) : undefined
  if (quickPage !== undefined) return quickPage
  const startedAtMs = performance.now()
  const found = await ask('page', toFind(request), context)
  if (found === undefined) return objects.readPage(request, context)
  const { keys, omitted, version, totalCount, linkedVersions } = found
  const ofMatches = {
    totalCount,
    matchEstimate: totalCount ?? request.matchEstimate,
    ...(linkedVersions.length > 0 && { linkedVersions }),
  }
  if (omitted !== undefined) {
    const count = Math.min(omitted, request.maxObjects)
    return { ...NO_RECORDS, ...ofMatches, count, more: count < omitted, version }
  }
  const foundAtMs = performance.now()
  const page = await readFound(objects, { ...request, keys, version }, context)
  if (page === undefined) return objects.readPage(request, context)
  context.onRead?.({
    plan: 'columns',
    planMs: foundAtMs - startedAtMs,
    sqlMs: performance.now() - foundAtMs,
  })
  return { ...page, ...ofMatches, more: page.count < keys.length }
}

/** True if the database is asked first. It reads the page if an index of the table makes it quick. */
function mayBeQuick(request: ReadPageRequest): boolean {
  if (isQuick(request)) return true
  // Only columns count without reading records.
  return request.omitRecords === undefined && isIndexedComparison(request)
}

/**
 * Reads the records that columns have found. Returns undefined if they were reclaimed or converted
 * since: the database then decides what the request gets.
 */
async function readFound(
  objects: Objects,
  request: ReadRecordsRequest,
  context: RequestContext,
): Promise<StoredPage | undefined> {
  try {
    const records = { ...request, isOfDefinition: true }
    const page = await objects.readRecords(records, unreported(context))
    return page === 'reclaimed' ? undefined : page
  } catch (error) {
    // The request has no page token, or none whose version this is.
    if (error instanceof ObjectQueryError && error.errorName === 'InvalidPageToken') return
    throw error
  }
}

const NO_RECORDS = { records: new Uint8Array(0), release: () => {}, last: undefined } as const

/** Reading records is a part of the page, which is reported once. */
function unreported(context: RequestContext): RequestContext {
  const { callerId, cachedIdentity, audit } = context
  return { callerId, cachedIdentity, audit, signal: () => context.signal() }
}

function toFind(request: ReadPageRequest): FindPageRequest {
  const { objectType, query, order, after, version, linkedVersions } = request
  const { maxObjects, omitRecords, includeTotalCount } = request
  return {
    ...{ objectType, query, order, after, version, linkedVersions },
    ...{ maxObjects, omitRecords, includeTotalCount },
  }
}

async function readSetPage(
  objects: Objects,
  ask: Ask,
  request: ReadSetPageRequest,
  context: RequestContext,
): Promise<StoredSetPage | Reclaimed> {
  const { parts, order, after, versions, maxObjects, includeTotalCount } = request
  // Parts that are read as a whole, one after the other, need no search.
  const isWalk = order.length === 0 && parts.every(({ query }) => query.kind === 'everything')
  if (isWalk) return objects.readSetPage(request, context)
  const startedAtMs = performance.now()
  const find = {
    parts: parts.map(({ objectType, query }) => ({ objectType, query })),
    ...{ order, after, versions, maxObjects, includeTotalCount },
  }
  const found = await ask('setPage', find, context)
  const foundAtMs = performance.now()
  const page = found && (await readFoundParts(objects, request, found, context))
  if (page === undefined) return objects.readSetPage(request, context)
  context.onRead?.({
    plan: 'columns',
    planMs: foundAtMs - startedAtMs,
    sqlMs: performance.now() - foundAtMs,
  })
  return page
}

const NEWLINE = 0x0a

/** Reads the records of each part, and puts them in the order in which they were found. */
async function readFoundParts(
  objects: Objects,
  { parts, maxObjects, maxBytes }: ReadSetPageRequest,
  { rows, versions, totalCount }: Answers['setPage'],
  context: RequestContext,
): Promise<StoredSetPage | undefined> {
  const wanted = rows.slice(0, maxObjects)
  const lines = new Map<number, Iterator<Uint8Array>>()
  for (const [index, { objectType, record }] of parts.entries()) {
    const keys = wanted.filter(({ part }) => part === index).map(({ key }) => key)
    // The first parts are those of the types; a page without objects confirms the caller, too.
    if (keys.length === 0 && (index > 0 || wanted.length > 0)) continue
    const page = await readFound(
      objects,
      {
        objectType,
        keys,
        version: versions[index] ?? 0,
        record: { ...record, separator: '\n' },
        maxObjects,
        maxBytes,
      },
      context,
    )
    if (page === undefined) return undefined
    lines.set(index, linesOf(Buffer.from(page.records)))
    page.release()
  }
  const records: Uint8Array[] = []
  let bytes = 0
  for (const { part } of wanted) {
    const { value: line } = lines.get(part)?.next() ?? {}
    // A part is cut where its own records would fill the page.
    if (line === undefined || (records.length > 0 && bytes + line.length > maxBytes)) break
    records.push(line)
    bytes += line.length + 1
  }
  const last = wanted[records.length - 1]
  return {
    ...joinRecords(records),
    count: records.length,
    last: last && { part: last.part, pk: last.key, version: last.validFrom },
    more: records.length < rows.length,
    versions,
    totalCount,
  }
}

function* linesOf(bytes: Uint8Array): Generator<Uint8Array> {
  let from = 0
  while (from < bytes.length) {
    const end = bytes.indexOf(NEWLINE, from)
    yield bytes.subarray(from, end === -1 ? bytes.length : end)
    from = end === -1 ? bytes.length : end + 1
  }
}

async function aggregate(
  objects: Objects,
  ask: Ask,
  request: AggregateRequest,
  context: RequestContext,
): Promise<AggregateResult | Reclaimed> {
  return (await ask('aggregate', request, context)) ?? objects.aggregate(request, context)
}
