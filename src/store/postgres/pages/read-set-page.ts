/** Reads pages over several object types, in one transaction, so that all belong to one moment. */
import type { Reclaimed } from '../../object-store.ts'
import { ReadTimer, withReport } from '../../read-report.ts'
import {
  partRequest,
  type ReadSetPageRequest,
  type SetPagePart,
  type StoredSetPage,
  typesOfSet,
} from '../../set-page.ts'
import { PartWalk } from '../../sql/plan/part-walk.ts'
import { isQuick } from '../../sql/plan/plan-rules.ts'
import { findTypeHead, readTypeHead, type TypeHead } from '../catalogue/type-head.ts'
import type { Session } from '../driver/database.ts'
import type { LinksStore } from '../queries/linked-tables.ts'
import { readMergedPage } from './merge-parts.ts'
import { type Lane, textPropertiesOf } from './plan-page.ts'
import { readPage } from './read-page.ts'

/** Returns the lane of a page. A merge reads a page of each part. Any text may be long. */
export function laneOfSet(request: ReadSetPageRequest): Lane {
  const isQuickPart = (part: SetPagePart) =>
    isQuick(partRequest(request, part), textPropertiesOf(part.objectType))
  return request.order.length === 0 && request.parts.every(isQuickPart) ? 'quick' : 'slow'
}

export async function readSetPage(
  session: Session,
  request: ReadSetPageRequest,
  store: LinksStore,
): Promise<StoredSetPage | Reclaimed> {
  const timer = new ReadTimer()
  const heads: TypeHead[] = []
  for (const [index, type] of typesOfSet(request.parts).entries()) {
    // The tables of linked types may not be created yet.
    const readHead = index < request.parts.length ? readTypeHead : findTypeHead
    heads.push(await readHead(session, type))
  }
  const versions = request.versions ?? heads.map(({ published }) => published)
  if (request.order.length > 0) {
    const merged = await readMergedPage(session, request, heads, versions, store)
    return withReport(merged, timer, 'mergedParts')
  }

  const walk = new PartWalk(request, versions)
  for (let step = walk.next(); step !== undefined; step = walk.next()) {
    const head = heads[step.part]
    const page = head && (await readPage(session, step.request, head, store))
    if (page === undefined || page === 'reclaimed') {
      walk.abandon()
      return 'reclaimed'
    }
    walk.add(page)
  }
  return withReport(walk.finish(), timer, 'parts')
}
