import { Type } from 'typebox'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { effectiveLimit } from '../../paging/retrieval-limit.ts'
import type { App } from '../app.ts'
import { NextPageToken, Properties, readResponses, TypePath } from '../openapi/schemas.ts'
import { ListingParameters, readListing } from '../page/listing-parameters.ts'
import { sendPage } from '../page/send-page.ts'
import { servePage } from '../page/serve-page.ts'
import { resolveTypePath } from '../request/resolve.ts'
import type { Services } from '../services.ts'

/** List objects, revision 1.0 [4.2]. */
export function addListObjects(app: App, services: Services): void {
  app.get(
    '/api/v1/ontologies/:ontology/objects/:objectType',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listObjects',
        summary: 'List objects (revision 1.0)',
        tags: ['Revision 1.0'],
        params: TypePath,
        querystring: ListingParameters,
        response: readResponses(ListObjectsResponse),
      },
    },
    async (request, reply) => {
      const { pageSize, pageToken, snapshot = false } = request.query
      const resolved = resolveTypePath(request, request.params)
      const page = await servePage(
        {
          ...resolved,
          requestId: request.id,
          endpoint: 'listObjects',
          revision: '1.0',
          caller: request.caller,
          context: request.context,
          ...readListing(request.query, resolved.objectType, services.limits.query),
          snapshot,
          pageToken,
          pageSize,
          showsCount: true,
          maximumPageSize: PAGE_SIZES.listObjects,
          retrievalLimit: effectiveLimit(
            services.limits.listObjectsLimit,
            resolved.objectType.retrievalLimit,
          ),
        },
        services,
      )
      return sendPage(reply, '1.0', page)
    },
  )
}

export const ListObjectsResponse = Type.Object({
  data: Type.Array(Type.Object({ rid: Type.String(), properties: Properties })),
  nextPageToken: NextPageToken,
  totalCount: Type.String({
    description: 'Objects that match, whether or not the listing may reach them all.',
  }),
})
