import { Type } from 'typebox'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { readQuery } from '../../query/parse/parse-query.ts'
import { REVISION_2_QUERIES } from '../../query/parse/revision-2-query-types.ts'
import type { App } from '../app.ts'
import {
  closed,
  NextPageToken,
  orNull,
  PageSize,
  PageToken,
  Properties,
  QueryBody,
  responses,
} from '../openapi/schemas.ts'
import { sendPage } from '../page/send-page.ts'
import { servePage } from '../page/serve-page.ts'
import { resolveFamilyPath } from '../request/resolve.ts'
import type { Services } from '../services.ts'

/** Search objects by type, revision 2.0 [4.3]. */
export function addSearchObjects(app: App, services: Services): void {
  app.post(
    '/api/:apiFamily/v1/objects/types/:objectType/search',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'searchObjects',
        summary: 'Search objects by type (revision 2.0)',
        tags: ['Revision 2.0'],
        params: Type.Object({
          apiFamily: Type.String({ description: 'A family of the ontology.' }),
          objectType: Type.String({ description: 'API name of the object type.' }),
        }),
        querystring: Type.Object(
          {
            preview: Type.Optional(
              Type.Boolean({ description: 'Accepted, because clients of this API send it.' }),
            ),
          },
          closed,
        ),
        body: Type.Object(
          {
            query: QueryBody,
            pageSize: Type.Optional(orNull(PageSize)),
            pageToken: Type.Optional(orNull(PageToken)),
            snapshot: Type.Optional(
              orNull(
                Type.Boolean({
                  description: 'True: every page shows the data as it was when the first was read.',
                }),
              ),
            ),
          },
          closed,
        ),
        response: responses(SearchObjectsResponse),
      },
    },
    async (request, reply) => {
      const { query, pageSize, pageToken, snapshot } = request.body
      const resolved = resolveFamilyPath(request, request.params)
      const page = await servePage(
        {
          ...resolved,
          requestId: request.id,
          endpoint: 'searchObjects',
          revision: '2.0',
          caller: request.caller,
          context: request.context,
          query: readQuery(REVISION_2_QUERIES, query, {
            objectType: resolved.objectType,
            limits: services.limits.query,
          }),
          order: [],
          selection: undefined,
          snapshot: snapshot ?? false,
          pageToken: pageToken ?? undefined,
          pageSize: pageSize ?? undefined,
          showsCount: false,
          maximumPageSize: PAGE_SIZES.searchObjects,
          // Revision 2.0 describes no cross-page limit [9.5].
          retrievalLimit: 'none',
        },
        services,
      )
      return sendPage(reply, '2.0', page)
    },
  )
}

const SearchObjectsResponse = Type.Object({
  data: Type.Array(
    Type.Object({
      primaryKey: Type.String(),
      objectType: Type.String(),
      title: Type.Optional(Type.String()),
      properties: Properties,
    }),
  ),
  nextPageToken: NextPageToken,
})
