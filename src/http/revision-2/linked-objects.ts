import { Type } from 'typebox'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { closed } from '../../contract/schema-parts.ts'
import { followLink, linkEndpoint } from '../../service/pages/follow-link.ts'
import type { App } from '../app.ts'
import { servePage } from '../page/serve-page.ts'
import { queryPaging } from '../schemas/paging.ts'
import { FamilyLinkedObjectsPath } from '../schemas/paths.ts'
import { FamilyPage } from '../schemas/records.ts'
import { readResponses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { findLinkByKey, objectNotFound, resolveKeySearch } from './find-by-key.ts'
import { keyParameters } from './parameters.ts'

/** Adds `listLinkedObjectsByKey`. */
export function addListLinkedObjects(app: App, services: Services): void {
  app.get(
    '/api/:apiFamily/v1/objects/:primaryKey/links/:linkType',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listLinkedObjectsByKey',
        summary: 'List linked objects (revision 2.0)',
        tags: ['Revision 2.0'],
        params: FamilyLinkedObjectsPath,
        querystring: Type.Object({ ...queryPaging, ...keyParameters }, closed),
        response: readResponses(FamilyPage),
      },
    },
    async (request, reply) => {
      const { context, params, query } = request
      const search = resolveKeySearch(request)
      const link = await findLinkByKey(search, params.linkType, query, context, services)
      const condition = await followLink(link, query, context, services)
      if (condition === undefined) throw objectNotFound(search)
      const spec = {
        ontology: search.ontology,
        objectType: link.side.linkedType,
        endpoint: linkEndpoint(link),
        revision: '2.0',
        query: condition,
        paging: query,
        maximumPageSize: PAGE_SIZES.listLinkedObjects,
        includeTotalCount: false,
      } as const
      return servePage(request, reply, spec, services)
    },
  )
}
