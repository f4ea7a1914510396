import { Type } from 'typebox'
import { resolveOntology, resolveTypePath } from '../../access/find-visible.ts'
import { closed } from '../../contract/schema-parts.ts'
import { parseSelection } from '../../query/parse/selection-v2.ts'
import { EVERYTHING } from '../../query/query.ts'
import { SET_CHANGES } from '../../service/changes/change-form.ts'
import { readFollowedSet } from '../../service/object-sets/followed-set.ts'
import { partOf } from '../../service/pages/page-spec.ts'
import { endpoint } from '../endpoint.ts'
import { readSelection } from '../request/listing-parameters.ts'
import { changesPage } from '../schemas/object-records.ts'
import { bodyFollowing, queryFollowing } from '../schemas/paging.ts'
import { sendChanges } from '../subscriptions/send-changes.ts'
import { ObjectSet, parseWhere, selectionMembers, where } from './body-members.ts'
import { RecordParameters } from './list-parameters.ts'
import { FlatRecord } from './v2-records.ts'

const revision = 'v2'

export const v2Changes = [
  endpoint({
    route: 'GET /api/v2/ontologies/:ontology/changes/:objectType',
    config: { scope: 'api:ontologies-read' },
    operationId: 'listObjectChangesV2',
    summary: 'List changes',
    description:
      'Returns what has changed since a token: `put` with the current object, or `delete` with its primary key. The last page has a `nextChangesToken` for the next request. With `Accept: text/event-stream`, changes are streamed as they happen.',
    querystring: Type.Object({ ...queryFollowing, ...RecordParameters.properties }, closed),
    response: changesPage(FlatRecord),
    handle: (request, reply, services) =>
      sendChanges(request, reply, services, () => {
        const { ontology, objectType } = resolveTypePath(request, request.params)
        const { select, excludeRid = false } = request.query
        const selection = readSelection(select, objectType)
        const part = partOf({ revision, objectType, query: EVERYTHING, selection, excludeRid })
        return { ontology, revision, parts: [part], paging: request.query }
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
        const query = parseWhere(body.where, { ontology, objectType }, services.limits.query)
        const selection = parseSelection(body, objectType)
        const excludeRid = body.excludeRid ?? false
        const part = partOf({ revision, objectType, query, selection, excludeRid })
        return { ontology, revision, parts: [part], paging: body }
      }),
  }),

  endpoint({
    route: 'POST /api/v2/ontologies/:ontology/objectSets/changes',
    config: { scope: 'api:ontologies-read', writes: 'nothing' },
    operationId: 'loadObjectSetChanges',
    summary: 'Load the changes of an object set',
    description:
      'An object that leaves the set, also because a linked object has changed, appears as a delete. Changes of several object types come type after type, by API name. Objects of an interface have the properties that implement it, under the names of their type.',
    body: Type.Object({ objectSet: ObjectSet, ...selectionMembers, ...bodyFollowing }, closed),
    response: changesPage(FlatRecord, { namesTypes: true }),
    handle: (request, reply, services) =>
      sendChanges(request, reply, services, async (since = request.body.since) => {
        const { body, context, catalogue, caller, params } = request
        const ontology = resolveOntology(catalogue, caller, params.ontology)
        const set = await readFollowedSet({ ...body, since }, ontology, context, services)
        return { ...set, paging: body, form: SET_CHANGES }
      }),
  }),
]
