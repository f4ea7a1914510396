/** Requests that name an action type in their path. */

import { requireScope } from '../../access/caller-rights.ts'
import { resolveOntology, type Viewer } from '../../access/find-visible.ts'
import { ACTION_BATCH_MAX } from '../../contract/limits.ts'
import { findActionType } from '../../ontology/catalogue.ts'
import type { ActionType } from '../../ontology/ontology.ts'
import { type AppliedActions, applyActions } from '../../service/actions/apply-actions.ts'
import type { ParameterValues } from '../../service/actions/prepare-action.ts'
import type { ServiceContext } from '../../service/service-context.ts'
import { creationBy } from '../../service/writes/creation.ts'
import { refuseBatchSize } from '../request/batch-size.ts'
import { type KeyedRequest, readIdempotencyKey, repeatHeaders } from '../request/idempotency-key.ts'
import type { Services } from '../services.ts'

export interface ActionRequest extends Viewer, KeyedRequest {
  readonly params: { readonly ontology: string; readonly actionType: string }
  readonly context: ServiceContext
}

interface ActionReply {
  headers(values: Readonly<Record<string, string>>): unknown
}

/** Returns the action type that a path names. */
export function resolveActionType({ catalogue, caller, params }: ActionRequest): ActionType {
  const ontology = resolveOntology(catalogue, caller, params.ontology)
  return findActionType(ontology, params.actionType)
}

/** Applies the actions of a request as one commit. */
export async function applyRequested(
  request: ActionRequest,
  reply: ActionReply,
  requests: readonly ParameterValues[],
  services: Services,
): Promise<AppliedActions> {
  requireScope(request.caller, 'api:ontologies-read')
  const { catalogue, context } = request
  const options = {
    basedOn: catalogue.generation,
    idempotencyKey: readIdempotencyKey(request, services),
    creation: creationBy(request.caller, services),
  }
  const actionType = resolveActionType(request)
  const applied = await applyActions(actionType, requests, options, context, services)
  reply.headers(repeatHeaders(applied.commit))
  return applied
}

interface ActionBatchRequest extends ActionRequest {
  readonly body: {
    readonly requests?: readonly { readonly parameters?: ParameterValues | null }[] | null
  }
}

/** Applies the actions of a batch as one commit. */
export async function applyRequestedBatch(
  request: ActionBatchRequest,
  reply: ActionReply,
  services: Services,
): Promise<AppliedActions> {
  const batch = request.body.requests ?? []
  refuseBatchSize(batch, ACTION_BATCH_MAX)
  const values = batch.map(({ parameters }) => parameters ?? {})
  return applyRequested(request, reply, values, services)
}
