/** Background changes of definitions: `getOntologyChange`, `cancelOntologyChange`. */

import { requireAdministration } from '../../access/caller.ts'
import { resolveOntology } from '../../access/resolve.ts'
import {
  ChangeResponse,
  changeNotFound,
  describeLastChange,
} from '../../service/definitions/last-change.ts'
import { endpoint } from '../endpoint.ts'
import { UNGUARDED } from '../request/write-guards.ts'
import { responses } from '../schemas/responses.ts'

const PATH = '/api/admin/v1/ontologies/:ontology/change'

export const getOntologyChange = endpoint({
  route: `GET ${PATH}`,
  config: { scope: ['api:ontologies-read', 'api:ontologies-write'] },
  operationId: 'getOntologyChange',
  summary: 'Get the last background change of a definition',
  description: 'Returns the background change that is running, or else the last one that ended.',
  response: responses(ChangeResponse),
  handle: async ({ catalogue, caller, params }, reply, { store }) => {
    void reply.header('cache-control', 'no-store')
    const ontology = resolveOntology(catalogue, caller, params.ontology)
    requireAdministration(caller, ontology)
    return describeLastChange(store, ontology)
  },
})

export const cancelOntologyChange = endpoint({
  route: `DELETE ${PATH}`,
  config: { scope: 'api:ontologies-write', writes: UNGUARDED },
  operationId: 'cancelOntologyChange',
  summary: 'Cancel the background change of a definition',
  description: 'The definition stays as it is, and the converted copies of objects are deleted.',
  response: ChangeResponse,
  handle: async ({ catalogue, caller, context, params }, _reply, { store }) => {
    const ontology = resolveOntology(catalogue, caller, params.ontology)
    requireAdministration(caller, ontology)
    const isCancelled = await store.definitionChanges.cancel(ontology.rid, context)
    if (!isCancelled) throw changeNotFound(ontology.apiName)
    return describeLastChange(store, ontology)
  },
})
