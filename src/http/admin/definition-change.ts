/** Background changes of definitions: `getOntologyChange`, `cancelOntologyChange`. */

import { resolveOntology } from '../../access/resolve.ts'
import {
  ChangeResponse,
  changeNotFound,
  describeLastChange,
} from '../../service/definitions/last-change.ts'
import type { App } from '../app.ts'
import { UNGUARDED } from '../request/write-guards.ts'
import { NoParameters } from '../schemas/common.ts'
import { OntologyPath } from '../schemas/paths.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { requireAdministration } from './require-admin.ts'

const PATH = '/api/admin/v1/ontologies/:ontology/change'

/** Adds `getOntologyChange` and `cancelOntologyChange`. */
export function addDefinitionChange(app: App, { store }: Services): void {
  app.get(
    PATH,
    {
      config: { scope: ['api:ontologies-read', 'api:ontologies-write'] },
      schema: {
        operationId: 'getOntologyChange',
        summary: 'Get the last background change of a definition',
        description:
          'Returns the background change that is running, or else the last one that ended.',
        tags: ['Administration'],
        params: OntologyPath,
        querystring: NoParameters,
        response: responses(ChangeResponse),
      },
    },
    async ({ catalogue, caller, params }, reply) => {
      void reply.header('cache-control', 'no-store')
      const ontology = resolveOntology(catalogue, caller, params.ontology)
      requireAdministration(caller, ontology)
      return describeLastChange(store, ontology)
    },
  )

  app.delete(
    PATH,
    {
      config: { scope: 'api:ontologies-write', writes: UNGUARDED },
      schema: {
        operationId: 'cancelOntologyChange',
        summary: 'Cancel the background change of a definition',
        description:
          'The definition stays as it is, and the converted copies of objects are deleted.',
        tags: ['Administration'],
        params: OntologyPath,
        querystring: NoParameters,
        response: responses(ChangeResponse),
      },
    },
    async ({ catalogue, caller, context, params }) => {
      const ontology = resolveOntology(catalogue, caller, params.ontology)
      requireAdministration(caller, ontology)
      const isCancelled = await store.definitionChanges.cancel(ontology.rid, context)
      if (!isCancelled) throw changeNotFound(ontology.apiName)
      return describeLastChange(store, ontology)
    },
  )
}
