/** Lists the records of the audit log. */
import { type Static, Type } from 'typebox'
import { ListedAuditRecord } from '../../contract/audit-record.ts'
import { invalidArgument } from '../../contract/errors.ts'
import { AUDIT_MAX_PAGE_SIZE, AUDIT_PAGE_SIZE } from '../../contract/limits.ts'
import { closed, documentedWith } from '../../contract/schema-parts.ts'
import { effectivePageSize } from '../../paging/page-limits.ts'
import type { TokenBinding } from '../../paging/page-token.ts'
import { nextPageState } from '../../paging/walk-tokens.ts'
import type { PagedRequest } from '../../service/pages/page.ts'
import type { AuditFilter, StoredAuditRecord } from '../../store/object-store.ts'
import { endpoint } from '../endpoint.ts'
import { metadataPaging, NextPageToken } from '../schemas/paging.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'

const name = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

const moment = (description: string) =>
  Type.Optional(documentedWith(Type.String({ minLength: 1, description }), { format: 'date-time' }))

const AuditParameters = Type.Object(
  {
    since: moment('The start of the time range, such as `2026-01-31T12:00:00Z`.'),
    until: moment('The end of the time range, excluded.'),
    caller: name('The id or the name of a caller.'),
    operation: name('An operation, such as `writeObjects`.'),
    ontology: name('The API name of an ontology.'),
    ...metadataPaging,
  },
  closed,
)

async function listRecords(
  request: PagedRequest,
  { pageSize, pageToken, ...parameters }: Static<typeof AuditParameters>,
  services: Services,
) {
  const { store, walkTokens, limits, now } = services
  const nowSeconds = now() / 1000
  const binding = bindingOf(request, parameters, services)
  const resumed = walkTokens.resume(pageToken, binding, nowSeconds)
  const size = effectivePageSize(pageSize ?? AUDIT_PAGE_SIZE, AUDIT_MAX_PAGE_SIZE)
  const found = await store.audit.list(
    {
      ...readFilter(parameters),
      after: resumed && { atMs: Number(resumed.after.pk), id: resumed.after.version },
      // One more shows whether others follow.
      maxRecords: size + 1,
    },
    request.context,
  )
  const records = withinBudget(found.slice(0, size), limits.pageMaxBytes)
  const last = records.at(-1)
  const next = nextPageState(
    {
      count: records.length,
      last: last && { pk: String(last.record.atMs), version: last.id },
      more: found.length > records.length,
    },
    { alreadySent: resumed?.served ?? 0, totalCount: undefined, snapshot: undefined },
  )
  const nextPageToken = walkTokens.seal(next, binding, nowSeconds)
  return {
    data: records.map(describe),
    nextPageToken,
    level: services.audit?.level ?? ('off' as const),
  }
}

type FilterParameters = Omit<Static<typeof AuditParameters>, 'pageSize' | 'pageToken'>

function bindingOf(
  { caller }: PagedRequest,
  parameters: FilterParameters,
  { walkTokens }: Services,
): TokenBinding {
  const { since, until, caller: name, operation, ontology } = parameters
  const request = {
    endpoint: 'listAuditRecords',
    revision: '1.0',
    ontologyRid: '',
    objectType: '',
    query: [since, until, name, operation, ontology],
    order: [],
    selection: undefined,
    snapshot: false,
  } as const
  return walkTokens.bind(request, caller.id)
}

function readFilter({ since, until, ...names }: FilterParameters): AuditFilter {
  return { ...names, sinceMs: readTime('since', since), untilMs: readTime('until', until) }
}

function readTime(parameter: string, time: string | undefined): number | undefined {
  if (time === undefined) return undefined
  const timeMs = /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(time) ? Date.parse(time) : Number.NaN
  if (Number.isNaN(timeMs))
    throw invalidArgument(parameter, 'is not a time such as 2026-01-31T12:00:00Z')
  return timeMs
}

/** Keeps the records that fit into a page, and at least one. */
function withinBudget(
  records: readonly StoredAuditRecord[],
  maxBytes: number,
): readonly StoredAuditRecord[] {
  let bytes = 0
  const end = records.findIndex(({ record }, index) => {
    bytes += JSON.stringify(record).length
    return bytes > maxBytes && index > 0
  })
  return end === -1 ? records : records.slice(0, end)
}

function describe({ id, record: { atMs, ...record } }: StoredAuditRecord) {
  return { id: String(id), time: new Date(atMs).toISOString(), ...record }
}

export const listAuditRecords = endpoint({
  route: 'GET /api/admin/v1/audit',
  config: { scope: 'api:audit-read' },
  operationId: 'listAuditRecords',
  summary: 'List the records of the audit log, the latest first',
  description:
    'The records of this process are complete; those of reads by other processes arrive within about a second.',
  querystring: AuditParameters,
  response: responses(
    Type.Object({
      data: Type.Array(ListedAuditRecord),
      nextPageToken: NextPageToken,
      level: Type.Enum(['off', 'writes', 'all'], {
        description: 'Which requests are recorded: the setting `OQS_AUDIT`.',
      }),
    }),
  ),
  handle: async (request, reply, services) => {
    await services.audit?.flush()
    void reply.header('cache-control', 'no-store')
    return listRecords(request, request.query, services)
  },
})
