/** Reads pages over several object types, in one transaction, so that all belong to one moment. */

import { PROBE_RECORD } from '../../../contract/object-record.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { ReadPageRequest, Reclaimed, StoredPage } from '../../object-store.ts'
import {
  type ReadSetPageRequest,
  type SetCursor,
  type StoredSetPage,
  typesOfSet,
  versionsOfPart,
} from '../../port/pages.ts'
import { ReadTimer, withReport } from '../../port/request-context.ts'
import type { Operation } from '../session/session.ts'
import { joinRecords, type PartReader, readMergedPage } from './merge-parts.ts'

/** How a database reads the parts of a page. */
export interface SetReader<Head extends { readonly published: number }> extends PartReader<Head> {
  /** Reads the state of a type. Only the table of a linked type may not be created yet. */
  readHead(type: ObjectType, isLinked: boolean): Operation<Head>
  /** Reads the page of one part; undefined if another process must read it. */
  readPage(request: ReadPageRequest, head: Head): Operation<StoredPage | Reclaimed | undefined>
}

/** Reads a page; undefined if another process must read a part of it. */
export function* readSetPage<Head extends { readonly published: number }>(
  reader: SetReader<Head>,
  request: ReadSetPageRequest,
): Operation<StoredSetPage | Reclaimed | undefined> {
  const timer = new ReadTimer()
  const heads: Head[] = []
  // Those of the parts come first.
  for (const [index, type] of typesOfSet(request.parts).entries()) {
    heads.push(yield* reader.readHead(type, index >= request.parts.length))
  }
  const versions = request.versions ?? heads.map(({ published }) => published)
  if (request.order.length > 0) {
    const merged = yield* readMergedPage(reader, request, heads, versions)
    return withReport(merged, timer, 'mergedParts')
  }
  const walked = yield* walkParts(reader, request, heads, versions)
  return walked && withReport(walked, timer, 'parts')
}

/**
 * Reads the parts one after the other, each as a page of one type. One object more than the page
 * holds shows whether more follow.
 */
function* walkParts<Head extends { readonly published: number }>(
  reader: SetReader<Head>,
  request: ReadSetPageRequest,
  heads: readonly Head[],
  versions: readonly number[],
): Operation<StoredSetPage | Reclaimed | undefined> {
  const { parts, after, maxObjects, maxBytes, includeTotalCount } = request
  const pages: StoredPage[] = []
  let [bytes, count, totalCount] = [0, 0, 0]
  let last: SetCursor | undefined
  let [isFull, more] = [false, false]
  for (const [index, part] of parts.entries()) {
    if (index < (after?.part ?? 0)) continue
    if (more && !includeTotalCount) break
    const rest = isFull
      ? { maxObjects: 1, maxBytes, record: { shape: PROBE_RECORD, selection: undefined } }
      : { maxObjects: maxObjects - count, maxBytes: maxBytes - bytes, record: part.record }
    const page = yield* reader.readPage(
      {
        ...rest,
        objectType: part.objectType,
        query: part.query,
        order: [],
        after: after?.part === index ? after : undefined,
        ...versionsOfPart(request, part),
        includeTotalCount,
        matchEstimate: undefined,
      },
      heads[index] as Head,
    )
    if (page === undefined || page === 'reclaimed') {
      for (const read of pages) read.release()
      return page
    }
    totalCount += page.totalCount ?? 0
    // The first record of a page is returned even if it exceeds the rest of the budget.
    const exceeds = count > 0 && page.records.length > maxBytes - bytes
    if (isFull || exceeds || page.count === 0) {
      more ||= page.count > 0
      isFull ||= exceeds
      page.release()
      continue
    }
    pages.push(page)
    count += page.count
    bytes += page.records.length + 1
    last = page.last && { ...page.last, part: index }
    more = page.more
    isFull = more || count >= maxObjects || bytes >= maxBytes
  }
  return {
    ...joinPages(pages),
    count,
    last,
    more,
    versions,
    totalCount: includeTotalCount ? totalCount : undefined,
  }
}

function joinPages(pages: readonly StoredPage[]): Pick<StoredPage, 'records' | 'release'> {
  const [first, ...others] = pages
  if (first !== undefined && others.length === 0) return first
  const joined = joinRecords(pages.map(({ records }) => records))
  for (const page of pages) page.release()
  return joined
}
