import { PROBE_RECORD } from '../../contract/object-record.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { EVERYTHING, type Query } from '../../query/query.ts'
import type { ReadPageRequest } from '../../store/object-store.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'

/** Returns the request that finds out whether any current object matches, or how many do. */
export function probeRequest(
  objectType: ObjectType,
  query: Query,
  { includeTotalCount }: Pick<ReadPageRequest, 'includeTotalCount'>,
): ReadPageRequest {
  return {
    objectType,
    query,
    order: [],
    record: { shape: PROBE_RECORD, selection: undefined },
    after: undefined,
    version: undefined,
    maxObjects: 1,
    maxBytes: 1,
    includeTotalCount,
    matchEstimate: undefined,
  }
}

/** Returns the number of current objects of a type that the caller may see. */
export async function countObjectsOf(
  objectType: ObjectType,
  context: ServiceContext,
  { objects }: ServiceParts,
): Promise<number> {
  const probe = probeRequest(objectType, EVERYTHING, { includeTotalCount: true })
  const page = await objects.readPage(probe, context)
  // No version is requested, so the latest is read, which is never reclaimed.
  if (page === 'reclaimed') return 0
  page.release()
  return page.totalCount ?? 0
}
