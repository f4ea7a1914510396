/** The endpoints of action types, in revision 1.0 and in v2. */
import type { TSchema } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { PAGE_SIZES, RID_BATCH_MAX } from '../../contract/limits.ts'
import { findActionType } from '../../ontology/catalogue.ts'
import type { ActionType } from '../../ontology/ontology.ts'
import type { Endpoint } from '../endpoint.ts'
import { type MetadataApi, REVISION_1, V2 } from '../metadata/metadata-api.ts'
import {
  metadataBatch,
  metadataItem,
  metadataList,
  ontologySource,
} from '../metadata/metadata-endpoints.ts'
import { ActionPath, ActionRidPath } from './action-schemas.ts'
import {
  ActionTypeResponse,
  ActionTypeV2Response,
  describeActionType,
  describeActionTypeV2,
} from './describe-action-type.ts'

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

function listAndGet(
  types: ReturnType<typeof actionTypesSource>,
  operationIds: { readonly list: string; readonly get: string },
): Endpoint[] {
  const list = metadataList(types, {
    operationId: operationIds.list,
    summary: 'List action types',
    description: 'Ordered by API name. Each object type has three: create, modify and delete.',
    maximumPageSize: PAGE_SIZES.listActionTypes,
  })
  const get = metadataItem(types, {
    operationId: operationIds.get,
    summary: 'Get an action type',
    path: '/:actionType',
    params: ActionPath,
    find: ({ ontology }, { actionType }) => findActionType(ontology, actionType),
  })
  return [list, get]
}

function refuseRid(rid: string): never {
  throw new ObjectQueryError('ActionTypeNotFound', { rid })
}

const revision1Types = actionTypesSource(REVISION_1, describeActionType, ActionTypeResponse)

export const revision1ActionTypes = listAndGet(revision1Types, {
  list: 'listActionTypes',
  get: 'getActionType',
})

const v2Types = actionTypesSource(V2, describeActionTypeV2, ActionTypeV2Response)

export const v2ActionTypes = [
  ...listAndGet(v2Types, { list: 'listActionTypesV2', get: 'getActionTypeV2' }),
  metadataItem(v2Types, {
    operationId: 'getActionTypeByRidV2',
    summary: 'Get an action type by RID',
    path: '/byRid/:actionTypeRid',
    params: ActionRidPath,
    find: ({ ontology }, { actionTypeRid }) =>
      v2Types.collection.listOf(ontology, ontology).findByRid(actionTypeRid) ??
      refuseRid(actionTypeRid),
  }),
  metadataBatch(v2Types, {
    operationId: 'getActionTypesByRidV2',
    summary: 'Get several action types by RID',
    description: `At most ${RID_BATCH_MAX} per request. Action types that do not exist are absent from the response.`,
    ridMember: 'actionTypeRid',
  }),
]
