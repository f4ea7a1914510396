import { type Static, Type } from 'typebox'
import { resolveTypePath } from '../../access/find-visible.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { ORDER_LIST_MAX } from '../../contract/limits.ts'
import { closed, optional, text, texts } from '../../contract/schema-parts.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { PAGE_SIZES } from '../../paging/page-limits.ts'
import { checkOrder, readNulls } from '../../query/parse/order.ts'
import { parseQuery } from '../../query/parse/parse-query.ts'
import { REVISION_1_QUERIES } from '../../query/parse/revision-1-query-language.ts'
import type { OrderTerm } from '../../query/query.ts'
import { checkSelection } from '../../query/selection.ts'
import { typePage } from '../../service/pages/page-spec.ts'
import { readObjectPage } from '../../service/pages/read-object-page.ts'
import { endpoint } from '../endpoint.ts'
import { sendPage } from '../response/send-data.ts'
import { CountedObjectPage } from '../schemas/object-records.ts'
import { bodyPaging } from '../schemas/paging.ts'
import { queryBody } from '../schemas/query-body.ts'

const OrderBy = Type.Object(
  {
    fields: Type.Array(
      Type.Object(
        {
          field: text('`properties.NAME`'),
          direction: optional(text('`asc` or `desc`')),
          nulls: optional(text('`first` or `last`')),
        },
        closed,
      ),
      { maxItems: ORDER_LIST_MAX },
    ),
  },
  closed,
)

const SearchBody = Type.Object(
  {
    query: queryBody(REVISION_1_QUERIES),
    orderBy: optional(OrderBy),
    fields: optional(texts('API names of the properties to return; all if empty or absent.')),
    ...bodyPaging,
  },
  closed,
)

const PREFIX = 'properties.'

function readOrder(
  orderBy: Static<typeof OrderBy> | null | undefined,
  objectType: ObjectType,
): OrderTerm[] {
  const terms = orderBy?.fields ?? []
  const invalid = terms.filter(({ field }) => !field.startsWith(PREFIX)).map(({ field }) => field)
  if (invalid.length > 0) throw new ObjectQueryError('InvalidFields', { properties: invalid })
  return checkOrder(
    terms.map(({ field, direction, nulls }) => ({
      property: field.slice(PREFIX.length),
      direction: direction ?? 'asc',
      nulls: readNulls(nulls),
    })),
    objectType,
  )
}

export const searchObjectsRevision1 = endpoint({
  route: 'POST /api/v1/ontologies/:ontology/objects/:objectType/search',
  config: { scope: 'api:ontologies-read', writes: 'nothing', isPage: true },
  operationId: 'searchObjectsRevision1',
  summary: 'Search objects',
  description:
    'Returns the objects that match the query, ordered by primary key or by `orderBy`. Repeat the body with `pageToken` for the next page.',
  body: SearchBody,
  response: CountedObjectPage,
  handle: async (request, reply, services) => {
    const { body } = request
    const resolved = resolveTypePath(request, request.params)
    const { objectType } = resolved
    const context = { objectType, limits: services.limits.query }
    const spec = typePage({
      ...resolved,
      endpoint: 'searchObjects',
      revision: '1.0',
      query: parseQuery(REVISION_1_QUERIES, body.query, context),
      order: readOrder(body.orderBy, objectType),
      selection: checkSelection(body.fields ?? [], objectType),
      paging: body,
      maximumPageSize: PAGE_SIZES.searchObjectsRevision1,
      includeTotalCount: true,
    })
    return sendPage(reply, await readObjectPage(request, spec, services))
  },
})
