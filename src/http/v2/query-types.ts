import { Type } from 'typebox'
import { PAGE_SIZES } from '../../contract/limits.ts'
import type { App } from '../app.ts'
import { serveMetadataPage } from '../page/serve-metadata-page.ts'
import { resolveOntology } from '../request/resolve.ts'
import { metadataPaging, NextPageToken } from '../schemas/paging.ts'
import { OntologyPath } from '../schemas/paths.ts'
import { readResponses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { v2Parameters } from './parameters.ts'

/** Adds `listQueryTypes`. An ontology defines no functions, so there are no query types. */
export function addListQueryTypes(app: App, services: Services): void {
  app.get(
    '/api/v2/ontologies/:ontology/queryTypes',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listQueryTypes',
        summary: 'List query types (v2)',
        description: 'Always empty: ontologies here have no functions.',
        tags: ['v2'],
        params: OntologyPath,
        querystring: v2Parameters(metadataPaging),
        response: readResponses(
          Type.Object({ data: Type.Array(Type.Unknown()), nextPageToken: NextPageToken }),
        ),
      },
    },
    async (request, reply) => {
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      const spec = {
        endpoint: 'listQueryTypes',
        ontologyRid: ontology.rid,
        objectTypeRid: undefined,
        items: [] as { readonly apiName: string }[],
        describe: (queryType: object) => queryType,
        paging: request.query,
        maximumPageSize: PAGE_SIZES.listQueryTypes,
      }
      return serveMetadataPage(request, reply, spec, services)
    },
  )
}
