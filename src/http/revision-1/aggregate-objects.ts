import type { ServerResponse } from 'node:http'
import { parseAggregation } from '../../query/parse-aggregation.ts'
import { EVERYTHING } from '../../query/query.ts'
import { readQuery } from '../../query/query-reader.ts'
import { REVISION_1_QUERIES } from '../../query/revision-1-query.ts'
import type { AggregateResult } from '../../store/object-store.ts'
import type { App } from '../app.ts'
import { responses, TypePath } from '../openapi/schemas.ts'
import { resolveTypePath } from '../request/resolve.ts'
import type { Services } from '../services.ts'
import { AggregateBody, AggregateResponse } from './aggregate-schemas.ts'

/** Aggregate objects, revision 1.0. */
export function addAggregateObjects(app: App, services: Services): void {
  app.post(
    '/api/v1/ontologies/:ontology/objects/:objectType/aggregate',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'aggregateObjects',
        summary: 'Aggregate objects (revision 1.0)',
        description: DESCRIPTION,
        tags: ['Revision 1.0'],
        params: TypePath,
        body: AggregateBody,
        response: responses(AggregateResponse),
      },
    },
    async (request, reply) => {
      const { query, ...written } = request.body
      const { objectType } = resolveTypePath(request, request.params)
      const context = { objectType, limits: services.limits.query }
      const aggregation = parseAggregation(written, context)
      services.memory.refuseWhenFull(request.context.callerId)
      const read = {
        objectType,
        query: query == null ? EVERYTHING : readQuery(REVISION_1_QUERIES, query, context),
        aggregation,
        maxGroups: services.limits.aggregateMaxGroups,
      }
      const aggregated = await services.store.aggregate(read, request.context)
      const held = services.memory.hold(request.context.callerId, aggregated.records.length)
      request.context.defer(() => held.release())
      return sendAggregated(reply, aggregated)
    },
  )
}

const DESCRIPTION = `
Computes metrics over the latest objects, or over those that match \`query\`, as a whole or by group.

**Metrics.** \`count\`; \`sum\` and \`avg\` of numbers; \`min\` and \`max\` of numbers, and of dates and
timestamps in milliseconds since 1970-01-01T00:00:00Z; \`approximateDistinct\` of everything that can
be compared, in fact an exact count. A property without a value enters no metric; the minimum,
maximum, sum and average of nothing have no \`value\`. Values are doubles: sums and averages of whole
numbers and decimals are exact until they are rounded, once. What JSON cannot write is \`"NaN"\`,
\`"Infinity"\` or \`"-Infinity"\`. One NaN makes a sum and an average NaN, and so do both infinities
together. NaN is larger than every number: it is the maximum, and the minimum only of nothing else.

**Groups.** \`exact\`: a group for each value. \`fixedWidth\`: a group for each multiple of the width,
named by its start, a JSON number with all its digits; NaN and infinities are in none. \`ranges\`: a
group for each range, named by the range; an object is in every range that holds its value, and in
at most ten groups altogether. \`duration\`: a group for each interval in UTC, counted from 1970-01-01,
named by its start. Objects without a value are in no group, and a group without objects is not
shown. Groups are ordered by their values, ranges as they were sent.

**\`maxGroupCount\`** keeps the groups with the most objects, the smaller value first among equals,
within each group of the groupings before it. \`excludedItems\` counts the objects of dropped groups.
`

/** The part of a reply that this needs, whatever schema types the rest of it. */
interface RawReply<Reply> {
  readonly raw: ServerResponse
  hijack(): Reply
}

/** Sends the groups past the framework, which can only send what is in one piece. */
function sendAggregated<Reply>(
  reply: RawReply<Reply>,
  { records, excludedItems }: AggregateResult,
): Reply {
  const head = `{${excludedItems === undefined ? '' : `"excludedItems":${excludedItems},`}"data":[`
  const tail = ']}'
  const hijacked = reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    'content-type': 'application/json',
    'content-length': head.length + records.length + tail.length,
  })
  raw.write(head, 'latin1')
  raw.write(records)
  raw.end(tail, 'latin1')
  return hijacked
}
