import { RID_BATCH_MAX } from '../../contract/limits.ts'
import type { App } from '../app.ts'
import { V2 } from '../metadata/metadata-api.ts'
import { addMetadataBatch } from '../metadata/metadata-endpoints.ts'
import {
  addObjectTypeItem,
  addObjectTypeList,
  objectTypesSource,
} from '../metadata/object-types.ts'
import type { Services } from '../services.ts'
import {
  FullObjectTypeResponse,
  fullObjectTypeDescriber,
  ObjectTypeResponse,
  objectTypeDescriber,
} from './metadata.ts'

/** Adds the endpoints of object types. */
export function addV2ObjectTypes(app: App, services: Services): void {
  const types = objectTypesSource(V2, objectTypeDescriber, ObjectTypeResponse)
  const fullTypes = objectTypesSource(V2, fullObjectTypeDescriber, FullObjectTypeResponse)
  addObjectTypeList(app, services, types, 'listObjectTypesV2')
  addObjectTypeItem(app, types, 'getObjectTypeV2')
  addObjectTypeItem(app, fullTypes, 'getObjectTypeFullMetadata', {
    summary: 'Get an object type with its links and interfaces',
    path: '/fullMetadata',
  })
  addMetadataBatch(app, types, {
    operationId: 'getObjectTypesByRid',
    summary: 'Get object types by RID',
    description: `At most ${RID_BATCH_MAX} per request. Object types that do not exist are absent from the response.`,
    ridMember: 'objectTypeRid',
  })
}
