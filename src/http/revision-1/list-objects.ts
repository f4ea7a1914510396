import { resolveTypePath } from '../../access/resolve.ts'
import { PAGE_SIZES } from '../../contract/limits.ts'
import type { App } from '../app.ts'
import { ListingParameters, readListing } from '../page/listing-parameters.ts'
import { servePage } from '../page/serve-page.ts'
import { TypePath } from '../schemas/paths.ts'
import { CountedObjectPage } from '../schemas/records.ts'
import { readResponses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'

/** Adds `listObjects` [4.2]. */
export function addListObjects(app: App, services: Services): void {
  app.get(
    '/api/v1/ontologies/:ontology/objects/:objectType',
    {
      config: { scope: 'api:ontologies-read', isPage: true },
      schema: {
        operationId: 'listObjects',
        summary: 'List objects (revision 1.0)',
        tags: ['Revision 1.0'],
        params: TypePath,
        querystring: ListingParameters,
        response: readResponses(CountedObjectPage),
      },
    },
    async (request, reply) => {
      const { ontology, objectType } = resolveTypePath(request, request.params)
      const listing = readListing(request.query, objectType, services.limits.query)
      const spec = {
        ...listing,
        ontology,
        objectType,
        endpoint: 'listObjects',
        revision: '1.0',
        paging: request.query,
        maximumPageSize: PAGE_SIZES.listObjects,
        includeTotalCount: true,
      } as const
      return servePage(request, reply, spec, services)
    },
  )
}
