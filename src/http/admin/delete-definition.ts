/** Deletes object types and ontologies, with their objects. */
import { Type } from 'typebox'
import { requireAdministration } from '../../access/caller.ts'
import { resolveOntology } from '../../access/resolve.ts'
import { closed, integer, texts } from '../../contract/schema-parts.ts'
import { findObjectType } from '../../ontology/catalogue.ts'
import { planChange } from '../../ontology/definition/change-definition.ts'
import { refuseDependents, withoutObjectType } from '../../ontology/definition/without-type.ts'
import { retryOutOfSync } from '../../service/definitions/retry-out-of-sync.ts'
import { endpoint } from '../endpoint.ts'
import { applyOnce, type RecordResponse } from '../request/apply-once.ts'
import { readPreconditions } from '../request/preconditions.ts'
import { GUARDED } from '../request/write-guards.ts'
import { sendJson } from '../response/send-data.ts'
import { awaitChange } from './await-change.ts'
import { requireDefinition } from './require-definition.ts'

const config = { scope: 'api:ontologies-write', writes: GUARDED } as const

const DeletedResponse = Type.Object({
  objectTypes: texts('The object types that were deleted.'),
  linkTypes: texts('The link types that were deleted.'),
  objects: integer('The number of objects that were deleted.'),
})

const cascade = (description: string) =>
  Type.Object({ cascade: Type.Optional(Type.Boolean({ description })) }, closed)

export const deleteObjectType = endpoint({
  route: 'DELETE /api/admin/v1/ontologies/:ontology/objectTypes/:objectType',
  config,
  operationId: 'deleteObjectType',
  summary: 'Delete an object type',
  description:
    'Deletes the object type with all its objects. The entity tag for `If-Match` is that of the definition of the ontology. Rejected while a link leads from or to it, unless `cascade` is true. Walks over the type end with `ObjectTypeNotFound`.',
  querystring: cascade('Whether to delete the links from and to the type as well.'),
  response: DeletedResponse,
  options: (services) => ({ preParsing: (request) => awaitChange(request, services) }),
  handle: async (request, reply, services) => {
    const { store } = services
    const { caller, context, params, query } = request
    const preconditions = readPreconditions(request.headers)
    const remove = async (record: RecordResponse) => {
      const catalogue = await store.readCatalogue({ named: [params], callerId: caller.id })
      const ontology = resolveOntology(catalogue, caller, params.ontology)
      requireAdministration(caller, ontology)
      await requireDefinition(preconditions, params.ontology, { caller, catalogue }, services)
      const { rid, apiName } = findObjectType(ontology, params.objectType)
      const { definition, dependents, linkTypes } = withoutObjectType(ontology, apiName)
      if (query.cascade !== true) {
        refuseDependents(dependents, `oqs ontology delete ${ontology.apiName} ${apiName}`)
      }
      const states = await store.readTypeStates(ontology.rid)
      const objects = states.find(({ typeRid }) => typeRid === rid)?.count ?? 0
      const options = { allowDataLoss: true }
      const change = planChange(ontology.rid, definition, catalogue, services.newUuid, options)
      const json = JSON.stringify({ objectTypes: [apiName], linkTypes: [...linkTypes], objects })
      await store.saveOntology({ ...change, idempotencyKey: await record(json) }, context)
      return json
    }
    const response = await applyOnce(request, reply, services, (record) =>
      retryOutOfSync(() => remove(record)),
    )
    return sendJson(reply, response)
  },
})

export const deleteOntology = endpoint({
  route: 'DELETE /api/admin/v1/ontologies/:ontology',
  config,
  operationId: 'deleteOntology',
  summary: 'Delete an ontology',
  description:
    'Deletes the ontology with all its types. Rejected while it has objects or loads some, unless `cascade` is true. Walks over its types end with `OntologyNotFound`.',
  querystring: cascade('Whether to delete the objects as well.'),
  response: DeletedResponse,
  options: (services) => ({ preParsing: (request) => awaitChange(request, services) }),
  handle: async (request, reply, services) => {
    const { store } = services
    const { caller, context, params, query } = request
    const preconditions = readPreconditions(request.headers)
    const remove = async (record: RecordResponse) => {
      const catalogue = await store.readCatalogue({ named: [params], callerId: caller.id })
      const ontology = resolveOntology(catalogue, caller, params.ontology)
      requireAdministration(caller, ontology)
      await requireDefinition(preconditions, params.ontology, { caller, catalogue }, services)
      const states = await store.readTypeStates(ontology.rid)
      const { rid: ontologyRid, apiName } = ontology
      const json = JSON.stringify({
        objectTypes: [...ontology.objectTypes.values()].map((type) => type.apiName),
        linkTypes: ontology.linkTypes.map((link) => link.apiName),
        objects: states.reduce((sum, { count }) => sum + count, 0),
      })
      const idempotencyKey = await record(json)
      const { generation: basedOn } = catalogue
      const deletion = {
        ontologyRid,
        apiName,
        basedOn,
        cascade: query.cascade === true,
        idempotencyKey,
      }
      await store.deleteOntology(deletion, context)
      return json
    }
    const response = await applyOnce(request, reply, services, (record) =>
      retryOutOfSync(() => remove(record)),
    )
    return sendJson(reply, response)
  },
})
