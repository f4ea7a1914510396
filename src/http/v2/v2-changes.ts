import { Type } from 'typebox'
import { resolveOntology, resolveTypePath } from '../../access/resolve.ts'
import { closed } from '../../contract/schema-parts.ts'
import { parseSelection } from '../../query/parse/selection-v2.ts'
import { EVERYTHING } from '../../query/query.ts'
import { readSingleTypeSet } from '../../service/object-sets/read-object-set.ts'
import { endpoint } from '../endpoint.ts'
import { readSelection } from '../page/listing-parameters.ts'
import { sendChanges } from '../page/send-changes.ts'
import { changesPage } from '../schemas/object-records.ts'
import { bodyFollowing, queryFollowing } from '../schemas/paging.ts'
import { ObjectSet, parseWhere, selectionMembers, where } from './body-members.ts'
import { RecordParameters } from './list-parameters.ts'
import { FlatRecord } from './v2-records.ts'

export const v2Changes = [
  endpoint({
    route: 'GET /api/v2/ontologies/:ontology/changes/:objectType',
    config: { scope: 'api:ontologies-read' },
    operationId: 'listObjectChangesV2',
    summary: 'List changes',
    querystring: Type.Object({ ...queryFollowing, ...RecordParameters.properties }, closed),
    response: changesPage(FlatRecord),
    handle: (request, reply, services) =>
      sendChanges(request, reply, services, () => {
        const { ontology, objectType } = resolveTypePath(request, request.params)
        const { select, excludeRid = false } = request.query
        return {
          ontology,
          objectType,
          revision: 'v2',
          query: EVERYTHING,
          selection: readSelection(select, objectType),
          excludeRid,
          paging: request.query,
        }
      }),
  }),

  endpoint({
    route: 'POST /api/v2/ontologies/:ontology/changes/:objectType',
    config: { scope: 'api:ontologies-read', writes: 'nothing' },
    operationId: 'searchObjectChangesV2',
    summary: 'Search changes',
    description:
      'An object that matched and no longer does appears as a delete. The token of a search is valid for the same `where` and the same selection.',
    body: Type.Object({ where, ...selectionMembers, ...bodyFollowing }, closed),
    response: changesPage(FlatRecord),
    handle: (request, reply, services) =>
      sendChanges(request, reply, services, () => {
        const { body } = request
        const { ontology, objectType } = resolveTypePath(request, request.params)
        return {
          ontology,
          objectType,
          revision: 'v2',
          query: parseWhere(body.where, objectType, services.limits.query),
          selection: parseSelection(body, objectType),
          excludeRid: body.excludeRid ?? false,
          paging: body,
        }
      }),
  }),

  endpoint({
    route: 'POST /api/v2/ontologies/:ontology/objectSets/changes',
    config: { scope: 'api:ontologies-read', writes: 'nothing' },
    operationId: 'loadObjectSetChanges',
    summary: 'Load the changes of an object set',
    description:
      'The objects must be of one type. An object that leaves the set, also because a linked object has changed, appears as a delete.',
    body: Type.Object({ objectSet: ObjectSet, ...selectionMembers, ...bodyFollowing }, closed),
    response: changesPage(FlatRecord),
    handle: (request, reply, services) =>
      sendChanges(request, reply, services, async () => {
        const { body, context } = request
        const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
        const { objectSet } = body
        const { part } = await readSingleTypeSet({ objectSet }, ontology, context, services)
        const { objectType, query } = part
        return {
          ontology,
          objectType,
          revision: 'v2',
          query,
          selection: parseSelection(body, objectType),
          excludeRid: body.excludeRid ?? false,
          paging: body,
        }
      }),
  }),
]
