/** Deletes all objects that match a query, as one commit. */
import { Type } from 'typebox'
import { resolveWrittenPath } from '../../access/find-visible.ts'
import { invalidArgument } from '../../contract/errors.ts'
import { closed, integer } from '../../contract/schema-parts.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import { parseQuery } from '../../query/parse/parse-query.ts'
import { REVISION_1_QUERIES } from '../../query/parse/revision-1-query-language.ts'
import { endpoint } from '../endpoint.ts'
import { KEYED } from '../request/declare-guards.ts'
import { readIdempotencyKey, repeatHeaders } from '../request/idempotency-key.ts'
import { queryBody } from '../schemas/query-body.ts'

const DeleteResponse = Type.Object({
  version: integer('The version without the objects.'),
  deleted: integer('The number of objects that were deleted.'),
})

/** A forgotten query must not delete everything. The schema reports other mistakes. */
function refuseMissingQuery(body: unknown): void {
  if (!isJsonObject(body)) return
  const query = body['query'] ?? {}
  if (typeof query !== 'object' || Object.keys(query).length > 0) return
  throw invalidArgument('query', 'is missing; to delete all objects, send a query that matches all')
}

export const deleteByQuery = endpoint({
  route: 'POST /api/admin/v1/ontologies/:ontology/objects/:objectType/deleteByQuery',
  config: { scope: 'api:ontologies-write', writes: KEYED },
  operationId: 'deleteByQuery',
  summary: 'Delete all objects that match a query',
  description:
    'Deletes the objects that match a query of revision 1.0, as one commit: readers see all of them or none. A query is required. To delete all objects, send one that matches all, such as `{"type": "isNull", "field": "properties.ID", "value": false}` with the primary key.',
  body: Type.Object({ query: queryBody(REVISION_1_QUERIES) }, closed),
  response: DeleteResponse,
  options: () => ({
    preValidation: async ({ body }) => refuseMissingQuery(body),
  }),
  handle: async (request, reply, services) => {
    const { catalogue, context, params, body } = request
    const { objectType } = resolveWrittenPath(request, params)
    const limits = services.limits.query
    const deletion = {
      objectType,
      basedOn: catalogue.generation,
      query: parseQuery(REVISION_1_QUERIES, body.query, { objectType, limits }),
      idempotencyKey: readIdempotencyKey(request, services),
    }
    const commit = await services.objects.deleteMatches(deletion, context)
    reply.headers(repeatHeaders(commit))
    return { version: commit.version, deleted: commit.deleted }
  },
})
