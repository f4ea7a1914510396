import { Type } from 'typebox'
import { resolveTypePath } from '../../access/resolve.ts'
import { closed } from '../../contract/schema-parts.ts'
import { parseSelection } from '../../query/parse/selection-v2.ts'
import type { App } from '../app.ts'
import { servePage } from '../page/serve-page.ts'
import { TypePath } from '../schemas/paths.ts'
import { responses } from '../schemas/responses.ts'
import { V2Parameters } from '../schemas/v2-parameters.ts'
import type { Services } from '../services.ts'
import { pageMembers, parseWhere, readOrder, where } from './body-members.ts'
import { CountedFlatPage } from './records.ts'

/** Adds `searchObjectsV2`. */
export function addSearchObjects(app: App, services: Services): void {
  app.post(
    '/api/v2/ontologies/:ontology/objects/:objectType/search',
    {
      config: { scope: 'api:ontologies-read', writes: 'nothing', isPage: true },
      schema: {
        operationId: 'searchObjectsV2',
        summary: 'Search objects (v2)',
        description: DESCRIPTION,
        tags: ['v2'],
        params: TypePath,
        querystring: V2Parameters,
        body: SearchBody,
        response: responses(CountedFlatPage),
      },
    },
    async (request, reply) => {
      const { body } = request
      const { ontology, objectType } = resolveTypePath(request, request.params)
      const spec = {
        ontology,
        objectType,
        revision: 'v2',
        endpoint: 'searchObjects',
        query: parseWhere(body.where, objectType, services.limits.query),
        ...readOrder(body.orderBy, objectType),
        selection: parseSelection(body, objectType),
        excludeRid: body.excludeRid ?? false,
        paging: body,
        includeTotalCount: true,
      } as const
      return servePage(request, reply, spec, services)
    },
  )
}

const SearchBody = Type.Object({ where, ...pageMembers }, closed)

const DESCRIPTION = `
Returns the objects that match \`where\`, or every object without it.

With \`"orderBy": {"orderType": "relevance"}\`, the best matches of the text conditions come first, and
objects have a \`__score\`, the number of their tier, which is higher for better matches and comparable
within one query. From best to worst:

1. All text conditions match as a phrase: their terms follow each other.
2. All text conditions match with all their terms, as they are written.
3. Of several text conditions, at least one matches with all its terms. Of up to five terms of a
   single condition, all but one match, then all but two, and so on.
4. Other matches: by one term, by other forms of a term, by similar terms or by a prefix.

Within a tier, objects are ordered by BM25, then by primary key; a very large tier is ordered by
primary key alone. Conditions inside \`not\` do not count.
`
