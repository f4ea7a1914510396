import { resolveTypePath } from '../../access/resolve.ts'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { readChanges } from '../../service/changes/read-changes.ts'
import { endpoint } from '../endpoint.ts'
import { FollowingParameters, readListing } from '../page/listing-parameters.ts'
import { sendPage } from '../response/send-data.ts'
import { changesPage, ObjectRecord } from '../schemas/object-records.ts'

export const listObjectChanges = endpoint({
  route: 'GET /api/v1/ontologies/:ontology/changes/:objectType',
  config: { scope: 'api:ontologies-read' },
  operationId: 'listObjectChanges',
  summary: 'List changes',
  querystring: FollowingParameters,
  response: changesPage(ObjectRecord),
  handle: async (request, reply, services) => {
    const { ontology, objectType } = resolveTypePath(request, request.params)
    const { query, selection } = readListing(request.query, objectType, services.limits.query)
    const spec = {
      ontology,
      objectType,
      revision: '1.0',
      query,
      selection,
      paging: request.query,
      maximumPageSize: PAGE_SIZES.listObjects,
    } as const
    return sendPage(reply, await readChanges(request, spec, services))
  },
})
