import { Type } from 'typebox'
import { requireScope } from '../../access/caller.ts'
import { resolveOntology } from '../../access/resolve.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { TEMPORARY_OBJECT_SET_SECONDS } from '../../contract/limits.ts'
import { closed } from '../../contract/schema-parts.ts'
import { checkObjectSet } from '../../service/object-sets/read-object-set.ts'
import {
  findTemporarySet,
  TEMPORARY_SET_RID_PREFIX,
  type TemporarySet,
} from '../../service/object-sets/temporary-set.ts'
import { endpoint } from '../endpoint.ts'
import { applyOnce } from '../request/apply-once.ts'
import { KEYED } from '../request/write-guards.ts'
import { sendJson } from '../response/send-data.ts'
import { ObjectSet } from './body-members.ts'

export const createTemporaryObjectSet = endpoint({
  route: 'POST /api/v2/ontologies/:ontology/objectSets/createTemporary',
  config: { scope: 'api:ontologies-write', writes: KEYED },
  operationId: 'createTemporaryObjectSet',
  summary: 'Create a temporary object set',
  description: `Stores the definition of an object set for ${TEMPORARY_OBJECT_SET_SECONDS / 60} minutes; its objects are not stored. Requires the scopes \`api:ontologies-read\` and \`api:ontologies-write\`.`,
  body: Type.Object({ objectSet: ObjectSet }, closed),
  response: Type.Object({ objectSetRid: Type.String() }),
  handle: async (request, reply, services) => {
    requireScope(request.caller, 'api:ontologies-read')
    const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
    const { objectSet } = request.body
    // Refuses a set that no request could use.
    await checkObjectSet(objectSet, ontology, services)
    const response = await applyOnce(request, reply, services, async (record) => {
      const id = services.newUuid()
      const bytes = Buffer.byteLength(JSON.stringify(objectSet))
      const { rid: ontologyRid, viewId } = ontology
      const body: TemporarySet = { ontologyRid, viewId, objectSet, bytes }
      const expiresAtMs = services.now() + TEMPORARY_OBJECT_SET_SECONDS * 1000
      const json = JSON.stringify({ objectSetRid: TEMPORARY_SET_RID_PREFIX + id })
      const document = { kind: 'temporaryObjectSet', id, body, expiresAtMs } as const
      const idempotencyKey = await record(json)
      await services.store.documents.put(
        document,
        request.context,
        idempotencyKey && { idempotencyKey },
      )
      return json
    })
    return sendJson(reply, response)
  },
})

export const getObjectSet = endpoint({
  route: 'GET /api/v2/ontologies/:ontology/objectSets/:objectSetRid',
  config: { scope: 'api:ontologies-read' },
  operationId: 'getObjectSet',
  summary: 'Get a temporary object set',
  response: ObjectSet,
  handle: async (request, reply, services) => {
    const { objectSetRid } = request.params
    const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
    const found = await findTemporarySet(objectSetRid, ontology, services)
    if (found === undefined) throw new ObjectQueryError('ObjectSetNotFound', { objectSetRid })
    return sendJson(reply, JSON.stringify(found.objectSet))
  },
})
