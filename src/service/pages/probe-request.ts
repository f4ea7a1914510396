import { PROBE_RECORD } from '../../contract/object-record.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { Query } from '../../query/query.ts'
import type { ReadPageRequest } from '../../store/object-store.ts'

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
