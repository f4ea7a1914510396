/** Lists the records of the audit log. */
import { type Static, Type } from 'typebox'
import { ListedAuditRecord } from '../../contract/audit-record.ts'
import { invalidArgument } from '../../contract/errors.ts'
import { closed, documentedWith } from '../../contract/schema-parts.ts'
import { readAuditPage } from '../../service/pages/read-audit-page.ts'
import type { AuditFilter } from '../../store/object-store.ts'
import { endpoint } from '../endpoint.ts'
import { sendPage } from '../response/send-data.ts'
import { metadataPaging, NextPageToken } from '../schemas/paging.ts'
import { responses } from '../schemas/responses.ts'

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

function readFilter({ since, until, ...names }: Static<typeof AuditParameters>): AuditFilter {
  const { caller, operation, ontology } = names
  const [sinceMs, untilMs] = [readTime('since', since), readTime('until', until)]
  return { caller, operation, ontology, sinceMs, untilMs }
}

function readTime(parameter: string, time: string | undefined): number | undefined {
  if (time === undefined) return undefined
  const timeMs = /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(time) ? Date.parse(time) : Number.NaN
  if (Number.isNaN(timeMs))
    throw invalidArgument(parameter, 'is not a time such as 2026-01-31T12:00:00Z')
  return timeMs
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
    const { since, until, caller, operation, ontology } = request.query
    const spec = {
      filter: readFilter(request.query),
      writtenFilter: [since, until, caller, operation, ontology],
      paging: request.query,
    }
    const level = JSON.stringify(services.audit?.level ?? 'off')
    return sendPage(reply, await readAuditPage(request, spec, services), `"level":${level}`)
  },
})
