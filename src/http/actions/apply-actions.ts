/** Applies actions of one type, as one commit. */
import { ObjectQueryError } from '../../contract/errors.ts'
import { ACTION_BATCH_MAX } from '../../contract/limits.ts'
import type { ActionType, Ontology } from '../../ontology/ontology.ts'
import type { Commit, CurrentObject } from '../../store/object-store.ts'
import type { RequestScope } from '../request/admission.ts'
import { requireScope } from '../request/authenticate.ts'
import { refuseBatchSize } from '../request/batch-size.ts'
import { type KeyedRequest, readIdempotencyKey } from '../request/idempotency-key.ts'
import { resolveOntology, type Viewer } from '../request/resolve.ts'
import type { Services } from '../services.ts'
import {
  missingParameters,
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
  return findActionType(ontology, params.actionType)
}

/** Returns an action type, or throws `ActionTypeNotFound`. */
export function findActionType(ontology: Ontology, apiName: string): ActionType {
  const actionType = ontology.actionTypes.get(apiName)
  if (actionType === undefined) {
    throw new ObjectQueryError('ActionTypeNotFound', { actionType: apiName })
  }
  return actionType
}

/** Actions that were applied. */
export interface AppliedActions {
  readonly actions: readonly PreparedAction[]
  readonly commit: Commit
}

/** Applies actions as one commit: all of them or none. */
export async function applyActions(
  request: ActionRequest,
  requests: readonly ParameterValues[],
  services: Services,
): Promise<AppliedActions> {
  requireScope(request.caller, 'api:ontologies-read')
  const { catalogue, context } = request
  const actionType = resolveActionType(request)
  const actions: PreparedAction[] = []
  for (const values of requests) {
    const missing = missingParameters(actionType, values)
    if (missing.length > 0) throw validationFailed(actionType, missing)
    actions.push(await prepareAction(actionType, values))
  }
  refuseDuplicates(actions)
  const edit = {
    objectType: actionType.objectType,
    basedOn: catalogue.generation,
    once: readIdempotencyKey(request, services),
    keys: actions.map(({ key }) => key.pk),
    decide: async (current: ReadonlyMap<string, CurrentObject>) => ({
      changes: await Promise.all(actions.map(({ key, decide }) => decide(current.get(key.pk)))),
    }),
  }
  const commit = await context.traceStore('commit', () => services.store.edit(edit, context))
  return { actions, commit }
}

interface ActionBatchRequest extends ActionRequest {
  readonly body: {
    readonly requests?: readonly { readonly parameters?: ParameterValues | null }[] | null
  }
}

/** Applies the actions of a batch, as one commit. */
export async function applyActionBatch(
  request: ActionBatchRequest,
  services: Services,
): Promise<AppliedActions> {
  const batch = request.body.requests ?? []
  refuseBatchSize(batch, ACTION_BATCH_MAX)
  return applyActions(
    request,
    batch.map(({ parameters }) => parameters ?? {}),
    services,
  )
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

function validationFailed(
  { apiName }: ActionType,
  invalidParameterIds: readonly string[],
): ObjectQueryError {
  return new ObjectQueryError('ActionValidationFailed', {
    actionType: apiName,
    invalidParameterIds,
    reason: 'required parameters are missing',
  })
}
