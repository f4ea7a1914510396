import { addV2ActionTypes } from '../actions/action-types.ts'
import { addV2Actions } from '../actions/v2-actions.ts'
import type { App } from '../app.ts'
import { addLinkTypes } from '../metadata/link-types.ts'
import { V2 } from '../metadata/metadata-api.ts'
import { refuseBranch } from '../schemas/v2-parameters.ts'
import type { Services } from '../services.ts'
import { addAggregateObjectSet } from './aggregate-object-set.ts'
import { addAggregateObjects } from './aggregate-objects.ts'
import { addCountObjects } from './count-objects.ts'
import { addGetObject } from './get-object.ts'
import { addAggregateInterfaceObjects } from './interface-aggregate.ts'
import { addListInterfaceLinkedObjects } from './interface-links.ts'
import { addListInterfaceObjects, addSearchInterfaceObjects } from './interface-objects.ts'
import { addInterfaceLinkTypes, addInterfaceTypes } from './interface-types.ts'
import { addGetLinkedObject, addListLinkedObjects } from './linked-objects.ts'
import { addListObjects } from './list-objects.ts'
import { addLoadLinks } from './load-links.ts'
import { addLoadObjects } from './load-objects.ts'
import { describeLinkV2, LinkTypeV2Response } from './metadata.ts'
import { addLoadMultipleObjectTypes, addLoadObjectsOrInterfaces } from './multi-type-load.ts'
import { addV2ObjectTypes } from './object-types.ts'
import { addV2Ontologies } from './ontologies.ts'
import { addListQueryTypes } from './query-types.ts'
import { addSearchObjects } from './search-objects.ts'
import { addCreateTemporaryObjectSet, addGetObjectSet } from './temporary-object-sets.ts'

/** Adds the endpoints of v2: `/api/v2/ontologies/…`. */
export function addV2(app: App, services: Services): void {
  void app.register(async (v2: App) => {
    v2.addHook('preHandler', async ({ query }) => refuseBranch(query))
    addV2Ontologies(v2, services)
    addV2ObjectTypes(v2, services)
    addLinkTypes(v2, services, V2, {
      operationIds: { list: 'listOutgoingLinkTypesV2', get: 'getOutgoingLinkTypeV2' },
      describe: describeLinkV2,
      response: LinkTypeV2Response,
    })
    addInterfaceTypes(v2, services)
    addInterfaceLinkTypes(v2, services)
    addListInterfaceObjects(v2, services)
    addSearchInterfaceObjects(v2, services)
    addAggregateInterfaceObjects(v2, services)
    addListInterfaceLinkedObjects(v2, services)
    addLoadMultipleObjectTypes(v2, services)
    addLoadObjectsOrInterfaces(v2, services)
    addListQueryTypes(v2, services)
    addListObjects(v2, services)
    addGetObject(v2, services)
    addV2ActionTypes(v2, services)
    addV2Actions(v2, services)
    addCountObjects(v2, services)
    addSearchObjects(v2, services)
    addAggregateObjects(v2, services)
    addListLinkedObjects(v2, services)
    addGetLinkedObject(v2, services)
    addLoadObjects(v2, services)
    addAggregateObjectSet(v2, services)
    addLoadLinks(v2, services)
    addCreateTemporaryObjectSet(v2, services)
    addGetObjectSet(v2, services)
  })
}
