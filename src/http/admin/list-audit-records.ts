/** Lists the records of the audit log. */
import { type Static, Type } from 'typebox'
import { invalidArgument } from '../../contract/errors.ts'
import { AUDIT_MAX_PAGE_SIZE, AUDIT_PAGE_SIZE } from '../../contract/limits.ts'
import { closed, flag, integer, text, texts, time } from '../../contract/schema-parts.ts'
import type { TokenBinding } from '../../paging/page-token.ts'
import { effectivePageSize, nextPageState } from '../../paging/walk-tokens.ts'
import type { PagedRequest } from '../../service/pages/page.ts'
import type { AuditFilter, StoredAuditRecord } from '../../store/object-store.ts'
import { endpoint } from '../endpoint.ts'
import { metadataPaging, NextPageToken } from '../schemas/paging.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'

const name = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))
const count = (description: string) => Type.Optional(integer(description))

const AuditParameters = Type.Object(
  {
    since: name('The start of the time range, such as `2026-01-31T12:00:00Z`.'),
    until: name('The end of the time range, excluded.'),
    caller: name('The id or the name of a caller.'),
    operation: name('An operation, such as `writeObjects`.'),
    ontology: name('The API name of an ontology.'),
    ...metadataPaging,
  },
  closed,
)

const AuditRecordSchema = Type.Object({
  id: Type.String(),
  time: time('When the request was admitted.'),
  requestId: text('The request as the log of the service names it.'),
  operation: text('The `operationId` of the endpoint; commands use the same names, and `backup`.'),
  kind: Type.Enum(['read', 'write']),
  caller: Type.Optional(
    Type.Object(
      {
        id: Type.String(),
        name: Type.String(),
        tokenId: Type.Optional(Type.String()),
        clientId: Type.Optional(text('The OAuth client.')),
      },
      { description: 'Absent if the request had no valid credentials.' },
    ),
  ),
  address: text('The IP address that the request came from; the host name of a command.'),
  ontology: Type.Optional(Type.String()),
  objectTypes: Type.Optional(Type.Array(Type.String())),
  dryRun: Type.Optional(flag('True if the request only checked what it would change.')),
  outcome: Type.Enum(['success', 'failure', 'disconnected']),
  errorName: Type.Optional(Type.String()),
  objects: count('The number of objects that were read.'),
  put: count('The number of objects that were written.'),
  deleted: count('The number of objects that were deleted.'),
  kept: count('The number of existing objects that were left unchanged.'),
  version: count('The version of the type that contains the changes.'),
  dropped: Type.Optional(
    texts(
      'What a changed definition no longer has: object types, properties as `type.property`, and link types as `link type.name`; at most 100.',
    ),
  ),
  moreDropped: count('The number of further names.'),
  keys: Type.Optional(
    texts(
      'The primary keys that were written or deleted, the ids of tokens and clients, or the names of policies; at most 100.',
    ),
  ),
  moreKeys: count('The number of further keys.'),
})

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
  return { data: records.map(describe), ...(nextPageToken === undefined ? {} : { nextPageToken }) }
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
  const { caller, objectTypes, dropped, keys, ...rest } = record
  return {
    id: String(id),
    time: new Date(atMs).toISOString(),
    ...rest,
    ...(caller === undefined ? {} : { caller }),
    ...(objectTypes === undefined ? {} : { objectTypes: [...objectTypes] }),
    ...(dropped === undefined ? {} : { dropped: [...dropped] }),
    ...(keys === undefined ? {} : { keys: [...keys] }),
  }
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
    Type.Object({ data: Type.Array(AuditRecordSchema), nextPageToken: NextPageToken }),
  ),
  handle: async (request, reply, services) => {
    await services.audit?.flush()
    void reply.header('cache-control', 'no-store')
    return listRecords(request, request.query, services)
  },
})
