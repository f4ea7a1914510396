/**
 * Replaces all objects of a type at one moment: start, add batches, publish. Readers see the old
 * objects until the replacement is published, and only the new ones after that.
 */
import { Type } from 'typebox'
import { resolveWrittenPath } from '../../access/find-visible.ts'
import { closed } from '../../contract/schema-parts.ts'
import { publishReplacement } from '../../service/batches/publish-replacement.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { applyOnce } from '../request/apply-once.ts'
import { KEYED, UNGUARDED } from '../request/declare-guards.ts'
import { CommitResponse } from '../schemas/responses.ts'

const PATH = '/api/admin/v1/ontologies/:ontology/objects/:objectType/replacements'
const scope = 'api:ontologies-write'
const PublishParameters = Type.Object(
  {
    mode: Type.Optional(
      Type.Enum(['replace', 'upsert', 'append'], {
        description:
          'What happens to existing objects: `replace` (the default) deletes them, `upsert` keeps those that the replacement does not have, `append` keeps all of them. The last two are meant for types with few objects.',
      }),
    ),
  },
  closed,
)

export const replacements: readonly Endpoint[] = [
  endpoint({
    route: `POST ${PATH}`,
    config: { scope, writes: KEYED },
    operationId: 'startReplacement',
    summary: 'Start a replacement of all objects of a type',
    description:
      'Add objects with `writeObjects` and the parameter `replacement`. Readers do not see them before the replacement is published. An idle replacement expires after the snapshot lifetime, but not within the first hour.',
    response: Type.Object({ replacement: Type.String() }),
    handle: async (request, reply, services) => {
      const { objects, emit } = services
      const { id: requestId, context } = request
      const { objectType } = resolveWrittenPath(request, request.params)
      const replacement = await applyOnce(request, reply, services, async (record) =>
        objects.startReplacement(objectType, context, await record('')),
      )
      const { rid } = objectType
      const event = 'replacementProgress'
      emit({ event, requestId, objectType: rid, replacement, phase: 'writing' })
      return { replacement }
    },
  }),
  endpoint({
    route: `POST ${PATH}/:replacement/publish`,
    config: { scope, writes: UNGUARDED },
    operationId: 'publishReplacement',
    summary: 'Publish a replacement',
    description:
      'Replaces all objects of the type in one commit, including changes made to them since the replacement was started. `put` is the number of new objects, `deleted` that of the old ones. With another `mode`, existing objects are kept. Repeated in the same mode, the request returns its first answer.',
    querystring: PublishParameters,
    response: CommitResponse,
    handle: async (
      { id: requestId, catalogue, caller, context, params, query },
      _reply,
      services,
    ) => {
      const { emit } = services
      const { objectType } = resolveWrittenPath({ catalogue, caller }, params)
      const { mode } = query
      const { replacement } = params
      const progress = { event: 'replacementProgress', requestId, replacement } as const
      const { rid } = objectType
      emit({ ...progress, objectType: rid, phase: 'indexing' })
      const onIndexed = (indexes: number) =>
        emit({ ...progress, objectType: rid, phase: 'indexing', indexes })
      const { version, put, deleted, kept } = await publishReplacement(
        { objectType, replacement, mode, context, onIndexed },
        services,
      )
      emit({ ...progress, objectType: rid, phase: 'published', objects: put })
      return { version, put, deleted, ...(mode === 'append' ? { kept } : {}) }
    },
  }),
  endpoint({
    route: `DELETE ${PATH}/:replacement`,
    config: { scope, writes: UNGUARDED },
    operationId: 'abandonReplacement',
    summary: 'Abandon a replacement',
    description: 'Deletes the objects that were loaded. The objects of the type stay as they are.',
    response: Type.Object({ replacement: Type.String() }),
    handle: async ({ catalogue, caller, params }, _reply, services) => {
      const { objectType } = resolveWrittenPath({ catalogue, caller }, params)
      services.batchParsers.dropLoad(params.replacement)
      await services.objects.abandonReplacement(objectType, params.replacement)
      return { replacement: params.replacement }
    },
  }),
]
