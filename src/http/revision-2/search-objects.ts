import { Type } from 'typebox'
import { resolveFamilyPath } from '../../access/resolve.ts'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { closed } from '../../contract/schema-parts.ts'
import { parseQuery } from '../../query/parse/parse-query.ts'
import { REVISION_2_QUERIES } from '../../query/parse/revision-2-query-types.ts'
import type { App } from '../app.ts'
import { servePage } from '../page/serve-page.ts'
import { bodyPaging } from '../schemas/paging.ts'
import { FamilyTypePath } from '../schemas/paths.ts'
import { queryBody } from '../schemas/query-body.ts'
import { FamilyPage } from '../schemas/records.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { PreviewParameter } from './parameters.ts'

/** Adds `searchObjects` [4.3]. */
export function addSearchObjects(app: App, services: Services): void {
  app.post(
    '/api/:apiFamily/v1/objects/types/:objectType/search',
    {
      config: { scope: 'api:ontologies-read', writes: 'nothing', isPage: true },
      schema: {
        operationId: 'searchObjects',
        summary: 'Search objects by type (revision 2.0)',
        tags: ['Revision 2.0'],
        params: FamilyTypePath,
        querystring: Type.Object({ preview: PreviewParameter }, closed),
        body: Type.Object({ query: queryBody(REVISION_2_QUERIES), ...bodyPaging }, closed),
        response: responses(FamilyPage),
      },
    },
    async (request, reply) => {
      const resolved = resolveFamilyPath(request, request.params)
      const context = { objectType: resolved.objectType, limits: services.limits.query }
      const spec = {
        ...resolved,
        endpoint: 'searchObjects',
        revision: '2.0',
        query: parseQuery(REVISION_2_QUERIES, request.body.query, context),
        paging: request.body,
        maximumPageSize: PAGE_SIZES.searchObjects,
        includeTotalCount: false,
      } as const
      return servePage(request, reply, spec, services)
    },
  )
}
