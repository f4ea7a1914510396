/** Applies actions of one type, as one commit. */
import { ObjectQueryError } from '../../contract/errors.ts'
import { ACTION_BATCH_MAX } from '../../contract/limits.ts'
import { type ActionType, findActionType } from '../../ontology/actions/action-type.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import type { Commit, CurrentObject } from '../../store/object-store.ts'
import type { RequestScope } from '../request/admission.ts'
import { requireScope } from '../request/caller.ts'
import { type KeyedRequest, readIdempotencyKey } from '../request/idempotency-key.ts'
import { resolveOntology, type Viewer } from '../request/resolve.ts'
import type { Services } from '../services.ts'
import {
  isPrepared,
  type ParameterValues,
  type PreparedAction,
  prepareAction,
} from './prepare-action.ts'

export interface ActionRequest extends Viewer, KeyedRequest {
  readonly params: { readonly ontology: string; readonly actionType: string }
  readonly context: RequestScope
}

/** Returns the action type that a path names. */
export function resolveActionType({ catalogue, caller, params }: ActionRequest): ActionType {
  const ontology = resolveOntology(catalogue, caller, params.ontology)
  return requireActionType(ontology, params.actionType)
}

export function requireActionType(ontology: Ontology, apiName: string): ActionType {
  const actionType = findActionType(ontology, apiName)
  if (actionType === undefined) {
    throw new ObjectQueryError('ActionTypeNotFound', { actionType: apiName })
  }
  return actionType
}

/** An action that was applied. */
export interface AppliedActions {
  readonly actions: readonly PreparedAction[]
  readonly commit: Commit
}

/**
 * Applies actions as one commit: all of them or none. Returns the ids of missing parameters instead,
 * if there are any.
 */
export async function applyActions(
  request: ActionRequest,
  requests: readonly ParameterValues[],
  services: Services,
): Promise<AppliedActions | readonly string[]> {
  requireScope(request.caller, 'api:ontologies-read')
  const { catalogue, context } = request
  const actionType = resolveActionType(request)
  const actions: PreparedAction[] = []
  for (const values of requests) {
    const action = await prepareAction(actionType, values)
    if (!isPrepared(action)) return action
    actions.push(action)
  }
  refuseDuplicates(actions)
  const commit = await services.store.edit(
    {
      objectType: actionType.objectType,
      basedOn: catalogue.generation,
      once: readIdempotencyKey(request, services),
      keys: actions.map(({ key }) => key.pk),
      decide: async (current: ReadonlyMap<string, CurrentObject>) => ({
        changes: await Promise.all(actions.map(({ key, decide }) => decide(current.get(key.pk)))),
      }),
    },
    context,
  )
  return { actions, commit }
}

export function isApplied(result: AppliedActions | readonly string[]): result is AppliedActions {
  return !Array.isArray(result)
}

/** Throws unless a batch has between one and `ACTION_BATCH_MAX` requests. */
export function refuseBatchSize(requests: readonly unknown[]): void {
  if (requests.length === 0) throw new ObjectQueryError('MissingBatchRequest')
  if (requests.length <= ACTION_BATCH_MAX) return
  throw new ObjectQueryError('BatchRequestSizeExceededLimit', {
    maximumBatchSize: ACTION_BATCH_MAX,
    providedBatchSize: requests.length,
  })
}

function refuseDuplicates(actions: readonly PreparedAction[]): void {
  const keys = new Set<string>()
  for (const { key, actionType } of actions) {
    if (keys.has(key.pk)) {
      const { apiName: objectType } = actionType.objectType
      const parameters = { objectType, primaryKey: key.text }
      throw new ObjectQueryError('ActionContainsDuplicateEdits', parameters)
    }
    keys.add(key.pk)
  }
}

/** The error of an action that cannot be applied because parameters are missing. */
export function validationFailed(
  { params }: ActionRequest,
  invalidParameterIds: readonly string[],
): ObjectQueryError {
  return new ObjectQueryError('ActionValidationFailed', {
    actionType: params.actionType,
    invalidParameterIds,
    reason: 'required parameters are missing',
  })
}
