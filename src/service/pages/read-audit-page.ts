/** Reads a page of the audit log, the latest records first. */
import { AUDIT_MAX_PAGE_SIZE, AUDIT_PAGE_SIZE } from '../../contract/limits.ts'
import { effectivePageSize, textsWithin } from '../../paging/page-limits.ts'
import type { AuditFilter, StoredAuditRecord } from '../../store/object-store.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { Page, PagedRequest, PagingParameters } from './page.ts'
import { readWalkPage } from './walk.ts'

export interface AuditPageSpec {
  readonly filter: AuditFilter
  /** The filter as the client wrote it, to which page tokens are bound. */
  readonly writtenFilter: readonly (string | undefined)[]
  readonly paging: PagingParameters
}

export function readAuditPage(
  request: PagedRequest,
  { filter, writtenFilter, paging }: AuditPageSpec,
  services: ServiceParts,
): Promise<Page> {
  const { store, walkTokens, limits } = services
  const walk = {
    endpoint: 'listAuditRecords',
    revision: '1.0',
    ontologyRid: '',
    objectType: '',
    query: writtenFilter,
    order: [],
    selection: undefined,
    snapshot: false,
  } as const
  return readWalkPage(
    request,
    {
      pageToken: paging.pageToken,
      binding: walkTokens.bind(walk, request.caller.id),
      read: async ({ resumed }) => {
        const size = effectivePageSize(paging.pageSize ?? AUDIT_PAGE_SIZE, AUDIT_MAX_PAGE_SIZE)
        // The cursor of a record has its time as the key, and its id as the version.
        const after = resumed && { atMs: Number(resumed.after.pk), id: resumed.after.version }
        // One more shows whether others follow.
        const list = { ...filter, after, maxRecords: size + 1 }
        const found = await store.audit.list(list, request.context)
        const texts = textsWithin(found.slice(0, size), limits.pageMaxBytes, describe)
        const last = found[texts.length - 1]
        return {
          records: Buffer.from(texts.join()),
          last: last && { pk: String(last.record.atMs), version: last.id },
          more: found.length > texts.length,
        }
      },
    },
    services,
  )
}

function describe({ id, record: { atMs, ...record } }: StoredAuditRecord): string {
  return JSON.stringify({ id: String(id), time: new Date(atMs).toISOString(), ...record })
}
