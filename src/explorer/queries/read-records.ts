import type { FlatRecord, Page } from '../../client/endpoints/pages.ts'
import { readPage } from '../../client/endpoints/read-page.ts'
import { type PageQuery, v2PageRequest } from '../../client/query/page-requests.ts'
import { type ObjectRecord, readRecord } from '../api/records.ts'
import type { Service } from '../api/service.ts'
import { type ShownType, typePathOf } from '../view/type-view.ts'

/** Reads one page of the objects that match a query, which must fit into it. */
export async function readRecords(
  { connection }: Service,
  type: ShownType,
  query: PageQuery,
  { pageSize, signal }: { readonly pageSize: number; readonly signal?: AbortSignal | undefined },
): Promise<readonly ObjectRecord[]> {
  const request = { ...v2PageRequest(typePathOf(type), query, { pageSize }), signal }
  const { data } = await readPage<Page<FlatRecord>>(connection, request)
  return data.map((json) => readRecord(json, type.objectType))
}
