import { type Static, Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { PAGE_SIZES } from '../../contract/limits.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { effectiveLimit } from '../../paging/retrieval-limit.ts'
import { checkOrder } from '../../query/parse/order.ts'
import { readQuery } from '../../query/parse/parse-query.ts'
import { REVISION_1_QUERIES } from '../../query/parse/revision-1-query-types.ts'
import type { OrderTerm } from '../../query/query.ts'
import { checkSelection } from '../../query/selection.ts'
import type { App } from '../app.ts'
import {
  closed,
  orNull,
  PageSize,
  PageToken,
  QueryBody,
  responses,
  TypePath,
} from '../openapi/schemas.ts'
import { sendPage } from '../page/send-page.ts'
import { servePage } from '../page/serve-page.ts'
import { resolveTypePath } from '../request/resolve.ts'
import type { Services } from '../services.ts'
import { ListObjectsResponse } from './list-objects.ts'

/** Search objects, revision 1.0. */
export function addSearchObjects1(app: App, services: Services): void {
  app.post(
    '/api/v1/ontologies/:ontology/objects/:objectType/search',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'searchObjectsRevision1',
        summary: 'Search objects (revision 1.0)',
        tags: ['Revision 1.0'],
        params: TypePath,
        body: SearchBody,
        response: responses(ListObjectsResponse),
      },
    },
    async (request, reply) => {
      const { query, orderBy, fields, pageSize, pageToken, snapshot } = request.body
      const resolved = resolveTypePath(request, request.params)
      const { objectType } = resolved
      const page = await servePage(
        {
          ...resolved,
          requestId: request.id,
          endpoint: 'searchObjects',
          revision: '1.0',
          caller: request.caller,
          context: request.context,
          query: readQuery(REVISION_1_QUERIES, query, {
            objectType,
            limits: services.limits.query,
          }),
          order: readOrder(orderBy, objectType),
          selection: checkSelection(fields ?? [], objectType),
          snapshot: snapshot ?? false,
          pageToken: pageToken ?? undefined,
          pageSize: pageSize ?? undefined,
          showsCount: true,
          maximumPageSize: PAGE_SIZES.searchObjectsRevision1,
          retrievalLimit: effectiveLimit(
            services.limits.listObjectsLimit,
            objectType.retrievalLimit,
          ),
        },
        services,
      )
      return sendPage(reply, '1.0', page)
    },
  )
}

const OrderBy = Type.Object(
  {
    fields: Type.Array(
      Type.Object(
        {
          field: Type.String({ description: '`properties.NAME`' }),
          direction: Type.Optional(orNull(Type.String({ description: '`asc` or `desc`' }))),
          nulls: Type.Optional(orNull(Type.String({ description: '`first` or `last`' }))),
        },
        closed,
      ),
      { maxItems: 1000 },
    ),
  },
  closed,
)

const SearchBody = Type.Object(
  {
    query: QueryBody,
    orderBy: Type.Optional(orNull(OrderBy)),
    fields: Type.Optional(
      orNull(Type.Array(Type.String(), { description: 'The properties to show; all when empty.' })),
    ),
    pageSize: Type.Optional(orNull(PageSize)),
    pageToken: Type.Optional(orNull(PageToken)),
    snapshot: Type.Optional(orNull(Type.Boolean())),
  },
  closed,
)

const PREFIX = 'properties.'

function readOrder(
  orderBy: Static<typeof OrderBy> | null | undefined,
  objectType: ObjectType,
): OrderTerm[] {
  const terms = orderBy?.fields ?? []
  const odd = terms.filter(({ field }) => !field.startsWith(PREFIX)).map(({ field }) => field)
  if (odd.length > 0) throw new ObjectQueryError('InvalidFields', { properties: odd })
  return checkOrder(
    terms.map(({ field, direction, nulls }) => ({
      property: field.slice(PREFIX.length),
      direction: direction ?? 'asc',
      nulls:
        nulls === 'first'
          ? 'nullsFirst'
          : (nulls ?? 'last') === 'last'
            ? 'nullsLast'
            : String(nulls),
    })),
    objectType,
  )
}
