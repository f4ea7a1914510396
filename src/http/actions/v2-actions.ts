/** Actions in v2. */
import { Type } from 'typebox'
import { requireScope } from '../../access/caller-rights.ts'
import { ACTION_BATCH_MAX } from '../../contract/limits.ts'
import { closed, namedObject, optional } from '../../contract/schema-parts.ts'
import type { ActionKind } from '../../ontology/ontology.ts'
import { keyValue } from '../../ontology/values/primary-key.ts'
import { missingParameters, type PreparedAction } from '../../service/actions/prepare-action.ts'
import { describeValidation, validateAction } from '../../service/actions/validate-action.ts'
import { creationBy } from '../../service/writes/creation.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { KEYED } from '../request/declare-guards.ts'
import { applyRequested, applyRequestedBatch, resolveActionType } from './action-request.ts'
import { ActionBody, actionBatch, textOrNull, Validation } from './action-schemas.ts'

const EditsResponse = namedObject('ActionEdits', {
  type: Type.Enum(['edits']),
  edits: Type.Array(
    namedObject('ActionEdit', {
      type: Type.Enum(['addObject', 'modifyObject', 'deleteObject']),
      objectType: Type.String(),
      primaryKey: Type.Unknown({ description: 'The primary key, as JSON.' }),
    }),
  ),
  addedObjectCount: Type.Integer(),
  modifiedObjectsCount: Type.Integer(),
  deletedObjectsCount: Type.Integer(),
  addedLinksCount: Type.Integer(),
  deletedLinksCount: Type.Integer(),
})

const EDITS = { create: 'addObject', modify: 'modifyObject', delete: 'deleteObject' } as const

/** Describes the edits. Clients that know no deletions get only their number. */
function describeEdits(actions: readonly PreparedAction[], listDeletions: boolean) {
  const count = (kind: ActionKind) =>
    actions.filter(({ actionType }) => actionType.kind === kind).length
  return {
    type: 'edits' as const,
    edits: actions
      .filter(({ actionType }) => listDeletions || actionType.kind !== 'delete')
      .map(({ actionType, key }) => ({
        type: EDITS[actionType.kind],
        objectType: actionType.objectType.apiName,
        primaryKey: keyValue(actionType.objectType.primaryKey.type, key.text),
      })),
    addedObjectCount: count('create'),
    modifiedObjectsCount: count('modify'),
    deletedObjectsCount: count('delete'),
    addedLinksCount: 0,
    deletedLinksCount: 0,
  }
}

const PATH = '/api/v2/ontologies/:ontology/actions/:actionType'
const config = { scope: 'api:ontologies-write', writes: KEYED } as const

const ApplyOptions = Type.Object(
  {
    mode: textOrNull(['VALIDATE_ONLY', 'VALIDATE_AND_EXECUTE'], 'Default: `VALIDATE_AND_EXECUTE`.'),
    returnEdits: textOrNull(
      ['NONE', 'ALL', 'ALL_V2_WITH_DELETIONS'],
      'Whether the response lists the edits. Default: `NONE`.',
    ),
  },
  closed,
)

const BatchOptions = Type.Object(
  { returnEdits: textOrNull(['NONE', 'ALL'], 'Default: `NONE`.') },
  closed,
)

export const v2Actions: readonly Endpoint[] = [
  endpoint({
    route: `POST ${PATH}/apply`,
    config,
    operationId: 'applyActionV2',
    summary: 'Apply or validate an action',
    description:
      'Applies the action as one commit. If required parameters are missing, `validation.result` is `INVALID` and nothing is written. Requires both scopes.',
    body: Type.Object({ ...ActionBody.properties, options: optional(ApplyOptions) }, closed),
    response: Type.Object({
      validation: Type.Optional(Validation),
      edits: Type.Optional(EditsResponse),
    }),
    handle: async (request, reply, services) => {
      const { parameters, options } = request.body
      const values = parameters ?? {}
      const actionType = resolveActionType(request)
      if (options?.mode === 'VALIDATE_ONLY') {
        const creation = creationBy(request.caller, services)
        const options = { creation, context: request.context }
        return { validation: await validateAction(actionType, values, options, services) }
      }
      requireScope(request.caller, 'api:ontologies-read')
      const missing = missingParameters(actionType, values)
      if (missing.length > 0) return { validation: describeValidation(actionType, missing) }
      const { actions } = await applyRequested(request, reply, [values], services)
      const validation = describeValidation(actionType, [])
      const returned = options?.returnEdits ?? 'NONE'
      if (returned === 'NONE') return { validation }
      const listDeletions = returned === 'ALL_V2_WITH_DELETIONS'
      return { validation, edits: describeEdits(actions, listDeletions) }
    },
  }),
  endpoint({
    route: `POST ${PATH}/applyBatch`,
    config,
    operationId: 'applyActionBatchV2',
    summary: `Apply up to ${ACTION_BATCH_MAX} actions of one type`,
    description: 'Applies all actions as one commit, or none. Requires both scopes.',
    body: actionBatch({ options: optional(BatchOptions) }),
    response: Type.Object({ edits: Type.Optional(EditsResponse) }),
    handle: async (request, reply, services) => {
      const { actions } = await applyRequestedBatch(request, reply, services)
      if ((request.body.options?.returnEdits ?? 'NONE') === 'NONE') return {}
      return { edits: describeEdits(actions, false) }
    },
  }),
]
