/** Reads pages over several object types, in one transaction, so that all belong to one moment. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { ReadPageRequest, Reclaimed, StoredPage } from '../../object-store.ts'
import { type ReadSetPageRequest, type StoredSetPage, typesOfSet } from '../../port/pages.ts'
import { ReadTimer, withReport } from '../../read-report.ts'
import { PartWalk } from '../../sql/plan/part-walk.ts'
import type { Operation } from '../session/operation.ts'
import { type PartReader, readMergedPage } from './merge-parts.ts'

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
  const walk = new PartWalk(request, versions)
  for (let step = walk.next(); step !== undefined; step = walk.next()) {
    const page = yield* reader.readPage(step.request, heads[step.part] as Head)
    if (page === undefined || page === 'reclaimed') {
      walk.abandon()
      return page
    }
    walk.add(page)
  }
  return withReport(walk.finish(), timer, 'parts')
}
