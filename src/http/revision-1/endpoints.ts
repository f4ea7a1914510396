import { addActions } from '../actions/revision-1.ts'
import type { App } from '../app.ts'
import type { Services } from '../services.ts'
import { addAggregateObjects } from './aggregate-objects.ts'
import { addGetObject } from './get-object.ts'
import { addGetLinkType, addListLinkTypes } from './link-types.ts'
import { addGetLinkedObject, addListLinkedObjects } from './linked-objects.ts'
import { addListObjects } from './list-objects.ts'
import { addGetObjectType, addListObjectTypes } from './object-types.ts'
import { addGetOntology, addListOntologies } from './ontologies.ts'
import { addSearchObjects } from './search-objects.ts'

/** Adds the endpoints of revision 1.0: `/api/v1/ontologies/…`. */
export function addRevision1(app: App, services: Services): void {
  addListOntologies(app)
  addGetOntology(app)
  addListObjectTypes(app, services)
  addGetObjectType(app)
  addListLinkTypes(app, services)
  addGetLinkType(app)
  addListObjects(app, services)
  addGetObject(app, services)
  addListLinkedObjects(app, services)
  addGetLinkedObject(app, services)
  addSearchObjects(app, services)
  addAggregateObjects(app, services)
  addActions(app, services)
}
