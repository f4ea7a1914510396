import { Type } from 'typebox'
import { resolveOntology } from '../../access/resolve.ts'
import { closed, optional } from '../../contract/schema-parts.ts'
import { parseSelection } from '../../query/parse/selection-v2.ts'
import { readSingleTypeSet } from '../../service/object-sets/read-object-set.ts'
import type { App } from '../app.ts'
import { servePage } from '../page/serve-page.ts'
import { OntologyPath } from '../schemas/paths.ts'
import { responses } from '../schemas/responses.ts'
import { V2Parameters } from '../schemas/v2-parameters.ts'
import type { Services } from '../services.ts'
import { pageMembers, readOrder } from './body-members.ts'
import { ObjectSet } from './object-set-schema.ts'
import { CountedFlatPage } from './records.ts'

/** Adds `loadObjects`. */
export function addLoadObjects(app: App, services: Services): void {
  app.post(
    '/api/v2/ontologies/:ontology/objectSets/loadObjects',
    {
      config: { scope: 'api:ontologies-read', writes: 'nothing' },
      schema: {
        operationId: 'loadObjects',
        summary: 'Load the objects of an object set (v2)',
        description:
          'The objects must be of one type. A page can be shorter than `pageSize`: only an absent `nextPageToken` marks the last one.',
        tags: ['v2'],
        params: OntologyPath,
        querystring: V2Parameters,
        body: LoadObjectsBody,
        response: responses(LoadedPage),
      },
    },
    async (request, reply) => {
      const { body, context } = request
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      const { part, listedTypes } = await readSingleTypeSet(body, ontology, context, services)
      const { objectType, query } = part
      const spec = {
        ontology,
        objectType,
        revision: 'v2',
        endpoint: 'loadObjects',
        query,
        ...readOrder(body.orderBy, objectType),
        selection: parseSelection(body, objectType),
        excludeRid: body.excludeRid ?? false,
        paging: body,
        listedTypes,
        includeTotalCount: true,
      } as const
      return servePage(request, reply, spec, services, PROPERTY_SECURITIES)
    },
  )
}

/** Required by clients; properties have no security of their own here. */
export const PROPERTY_SECURITIES = '"propertySecurities":[]'

export const loadPropertySecurities = optional(
  Type.Unsafe<false>({
    type: 'boolean',
    enum: [false, null],
    description: 'Must not be true: properties have no security of their own here.',
  }),
)

const LoadObjectsBody = Type.Object(
  { objectSet: ObjectSet, ...pageMembers, loadPropertySecurities },
  closed,
)

const LoadedPage = Type.Object({
  ...CountedFlatPage.properties,
  propertySecurities: Type.Array(Type.Unknown(), { maxItems: 0 }),
})
