/** Applies actions of one type, as one commit. */
import { ObjectQueryError } from '../../contract/errors.ts'
import type { ActionType } from '../../ontology/ontology.ts'
import type { Creation } from '../../ontology/values/read-object.ts'
import type { Commit, CurrentObject, Edit } from '../../store/object-store.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import {
  missingParameters,
  type ParameterValues,
  type PreparedAction,
  prepareAction,
} from './prepare-action.ts'

/** Actions that were applied. */
export interface AppliedActions {
  readonly actions: readonly PreparedAction[]
  readonly commit: Commit
}

interface ApplyOptions extends Pick<Edit, 'basedOn' | 'idempotencyKey'> {
  readonly creation: Creation
}

/** Applies actions as one commit: all of them or none. */
export async function applyActions(
  actionType: ActionType,
  requests: readonly ParameterValues[],
  { creation, ...options }: ApplyOptions,
  context: ServiceContext,
  { objects }: ServiceParts,
): Promise<AppliedActions> {
  const actions: PreparedAction[] = []
  for (const values of requests) {
    const missing = missingParameters(actionType, values)
    if (missing.length > 0) throw validationFailed(actionType, missing)
    actions.push(await prepareAction(actionType, values, creation))
  }
  refuseDuplicates(actions)
  const edit = {
    ...options,
    objectType: actionType.objectType,
    keys: actions.map(({ key }) => key.pk),
    decide: async (current: ReadonlyMap<string, CurrentObject>) => ({
      changes: await Promise.all(actions.map(({ key, decide }) => decide(current.get(key.pk)))),
    }),
  }
  const commit = await objects.edit(edit, context)
  return { actions, commit }
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
