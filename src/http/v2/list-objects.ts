import { resolveTypePath } from '../../access/resolve.ts'
import { V2_PAGE_SIZES } from '../../contract/limits.ts'
import { EVERYTHING } from '../../query/query.ts'
import type { App } from '../app.ts'
import { readSelection } from '../page/listing-parameters.ts'
import { servePage } from '../page/serve-page.ts'
import { TypePath } from '../schemas/paths.ts'
import { readResponses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { ListParameters, readOrderText } from './parameters.ts'
import { CountedFlatPage } from './records.ts'

/** Adds `listObjectsV2`. */
export function addListObjects(app: App, services: Services): void {
  app.get(
    '/api/v2/ontologies/:ontology/objects/:objectType',
    {
      config: { scope: 'api:ontologies-read', isPage: true },
      schema: {
        operationId: 'listObjectsV2',
        summary: 'List objects (v2)',
        description: `Pages of ${V2_PAGE_SIZES.default} objects by default and of ${V2_PAGE_SIZES.maximum} at most. A page can be shorter: only an absent \`nextPageToken\` marks the last one.`,
        tags: ['v2'],
        params: TypePath,
        querystring: ListParameters,
        response: readResponses(CountedFlatPage),
      },
    },
    async (request, reply) => {
      const resolved = resolveTypePath(request, request.params)
      const { objectType } = resolved
      const { select, orderBy, excludeRid = false } = request.query
      const spec = {
        ...resolved,
        endpoint: 'listObjects',
        revision: 'v2',
        query: EVERYTHING,
        order: readOrderText(orderBy, objectType),
        selection: readSelection(select, objectType),
        excludeRid,
        paging: request.query,
        includeTotalCount: true,
      } as const
      return servePage(request, reply, spec, services)
    },
  )
}
