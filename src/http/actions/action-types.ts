/** The endpoints of action types, in revision 1.0 and in v2. */

import type { TSchema } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { RID_BATCH_MAX } from '../../contract/limits.ts'
import { findActionType } from '../../ontology/catalogue.ts'
import type { ActionType } from '../../ontology/ontology.ts'
import { PAGE_SIZES } from '../../paging/page-limits.ts'
import {
  type MetadataApi,
  metadataBatch,
  metadataItem,
  metadataListAndItem,
  ontologySource,
} from '../metadata/metadata-endpoints.ts'
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
  operationIds: readonly [list: string, get: string],
) {
  return metadataListAndItem(types, {
    operationIds,
    summaries: ['List action types', 'Get an action type'],
    description: 'Ordered by API name. Each object type has three: create, modify and delete.',
    maximumPageSize: PAGE_SIZES.listActionTypes,
    path: '/:actionType',
    find: ({ ontology }, { actionType }) => findActionType(ontology, actionType),
  })
}

export const revision1ActionTypes = listAndGet(
  actionTypesSource('/api/v1/ontologies', describeActionType, ActionTypeResponse),
  ['listActionTypes', 'getActionType'],
)

const v2Types = actionTypesSource('/api/v2/ontologies', describeActionTypeV2, ActionTypeV2Response)

export const v2ActionTypes = [
  ...listAndGet(v2Types, ['listActionTypesV2', 'getActionTypeV2']),
  metadataItem(v2Types, {
    operationId: 'getActionTypeByRidV2',
    summary: 'Get an action type by RID',
    path: '/byRid/:actionTypeRid',
    find: ({ ontology }, { actionTypeRid: rid }) => {
      const found = v2Types.collection.listOf(ontology, ontology).findByRid(rid)
      if (found === undefined) throw new ObjectQueryError('ActionTypeNotFound', { rid })
      return found
    },
  }),
  metadataBatch(v2Types, {
    operationId: 'getActionTypesByRidV2',
    summary: 'Get action types by RID',
    description: `At most ${RID_BATCH_MAX} per request. Action types that do not exist are absent from the response.`,
    ridMember: 'actionTypeRid',
  }),
]
