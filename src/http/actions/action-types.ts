/** The endpoints of action types, in revision 1.0 and in v2. */
import type { Static, TSchema } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { PAGE_SIZES, RID_BATCH_MAX } from '../../contract/limits.ts'
import { findActionType } from '../../ontology/catalogue.ts'
import type { ActionType } from '../../ontology/ontology.ts'
import type { App } from '../app.ts'
import { type MetadataApi, REVISION_1, V2 } from '../metadata/metadata-api.ts'
import {
  addMetadataBatch,
  addMetadataItem,
  addMetadataList,
  ontologySource,
} from '../metadata/metadata-endpoints.ts'
import type { Services } from '../services.ts'
import { ActionPath, ActionRidPath } from './action-schemas.ts'
import {
  ActionTypeResponse,
  ActionTypeV2Response,
  describeActionType,
  describeActionTypeV2,
} from './describe-action-type.ts'

/** Adds `listActionTypes` and `getActionType`. */
export function addActionTypes(app: App, services: Services): void {
  const types = actionTypesSource(REVISION_1, describeActionType, ActionTypeResponse)
  addListAndGet(app, services, types, { list: 'listActionTypes', get: 'getActionType' })
}

/** Adds `listActionTypesV2`, `getActionTypeV2`, and action types by RID. */
export function addV2ActionTypes(app: App, services: Services): void {
  const types = actionTypesSource(V2, describeActionTypeV2, ActionTypeV2Response)
  addListAndGet(app, services, types, { list: 'listActionTypesV2', get: 'getActionTypeV2' })
  addMetadataItem(app, types, {
    operationId: 'getActionTypeByRidV2',
    summary: 'Get an action type by RID',
    path: '/byRid/:actionTypeRid',
    params: ActionRidPath,
    find: ({ ontology }, { actionTypeRid }) =>
      types.collection.listOf(ontology, ontology).findByRid(actionTypeRid) ??
      refuseRid(actionTypeRid),
  })
  addMetadataBatch(app, types, {
    operationId: 'getActionTypesByRidV2',
    summary: 'Get several action types by RID',
    description: `At most ${RID_BATCH_MAX} per request. Action types that do not exist are absent from the response.`,
    ridMember: 'actionTypeRid',
  })
}

function actionTypesSource(
  api: MetadataApi,
  describe: (actionType: ActionType) => object,
  response: TSchema,
) {
  return ontologySource(api, '/:ontology/actionTypes', response, {
    items: ({ actionTypes }) => actionTypes.values(),
    describer: () => describe,
  })
}

function addListAndGet(
  app: App,
  services: Services,
  types: ReturnType<typeof actionTypesSource>,
  operationIds: { readonly list: string; readonly get: string },
): void {
  addMetadataList(app, services, types, {
    operationId: operationIds.list,
    summary: 'List action types',
    description: 'Ordered by API name. Each object type has three: create, modify and delete.',
    maximumPageSize: PAGE_SIZES.listActionTypes,
  })
  addMetadataItem(app, types, {
    operationId: operationIds.get,
    summary: 'Get an action type',
    path: '/:actionType',
    params: ActionPath,
    find: ({ ontology }, { actionType }: Static<typeof ActionPath>) =>
      findActionType(ontology, actionType),
  })
}

function refuseRid(rid: string): never {
  throw new ObjectQueryError('ActionTypeNotFound', { rid })
}
