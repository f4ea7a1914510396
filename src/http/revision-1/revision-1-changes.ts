import { resolveTypePath } from '../../access/find-visible.ts'
import { PAGE_SIZES } from '../../paging/page-limits.ts'
import { partOf } from '../../service/pages/page-spec.ts'
import { endpoint } from '../endpoint.ts'
import { FollowingParameters, readListing } from '../request/listing-parameters.ts'
import { changesPage, ObjectRecord } from '../schemas/object-records.ts'
import { sendChanges } from '../subscriptions/send-changes.ts'

export const listObjectChanges = endpoint({
  route: 'GET /api/v1/ontologies/:ontology/changes/:objectType',
  config: { scope: 'api:ontologies-read' },
  operationId: 'listObjectChanges',
  summary: 'List changes',
  description:
    'Returns what has changed since a token: `put` with the current object, or `delete` with its primary key. The last page has a `nextChangesToken` for the next request. With `Accept: text/event-stream`, changes are streamed as they happen.',
  querystring: FollowingParameters,
  response: changesPage(ObjectRecord),
  handle: (request, reply, services) =>
    sendChanges(request, reply, services, () => {
      const { ontology, objectType } = resolveTypePath(request, request.params)
      const { query, selection } = readListing(request.query, objectType, services.limits.query)
      const revision = '1.0'
      return {
        ontology,
        revision,
        parts: [partOf({ revision, objectType, query, selection })],
        paging: request.query,
        maximumPageSize: PAGE_SIZES.listObjects,
      }
    }),
})
