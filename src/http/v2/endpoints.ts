import { addV2Actions } from '../actions/v2.ts'
import { addV2ActionTypes } from '../actions/v2-types.ts'
import type { App } from '../app.ts'
import type { Services } from '../services.ts'
import { addAggregateObjectSet } from './aggregate-object-set.ts'
import { addAggregateObjects } from './aggregate-objects.ts'
import { addCountObjects } from './count-objects.ts'
import { addGetObject } from './get-object.ts'
import { addAggregateInterfaceObjects } from './interface-aggregate.ts'
import { addListInterfaceLinkedObjects } from './interface-links.ts'
import { addListInterfaceObjects, addSearchInterfaceObjects } from './interface-objects.ts'
import {
  addGetInterfaceLinkType,
  addGetInterfaceType,
  addListInterfaceLinkTypes,
  addListInterfaceTypes,
} from './interface-types.ts'
import { addGetLinkType, addListLinkTypes } from './link-types.ts'
import { addGetLinkedObject, addListLinkedObjects } from './linked-objects.ts'
import { addListObjects } from './list-objects.ts'
import { addLoadLinks } from './load-links.ts'
import { addLoadObjects } from './load-objects.ts'
import { addLoadMultipleObjectTypes, addLoadObjectsOrInterfaces } from './multi-type-load.ts'
import {
  addGetFullObjectType,
  addGetObjectType,
  addGetObjectTypesByRid,
  addListObjectTypes,
} from './object-types.ts'
import { addGetFullOntology, addGetOntology, addListOntologies } from './ontologies.ts'
import { refuseBranch } from './parameters.ts'
import { addListQueryTypes } from './query-types.ts'
import { addSearchObjects } from './search-objects.ts'
import { addCreateTemporaryObjectSet, addGetObjectSet } from './temporary-object-sets.ts'

/** Adds the endpoints of v2: `/api/v2/ontologies/…`. */
export function addV2(app: App, services: Services): void {
  void app.register(async (v2: App) => {
    v2.addHook('preHandler', async ({ query }) => refuseBranch(query))
    addListOntologies(v2)
    addGetOntology(v2)
    addGetFullOntology(v2)
    addListObjectTypes(v2, services)
    addGetObjectType(v2)
    addGetFullObjectType(v2)
    addGetObjectTypesByRid(v2)
    addListLinkTypes(v2, services)
    addGetLinkType(v2)
    addListInterfaceTypes(v2, services)
    addGetInterfaceType(v2)
    addListInterfaceLinkTypes(v2, services)
    addGetInterfaceLinkType(v2)
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
