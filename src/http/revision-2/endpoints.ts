import type { App } from '../app.ts'
import type { Services } from '../services.ts'
import { addGetObject } from './get-object.ts'
import { addGetObjectProperties } from './get-object-properties.ts'
import { addListLinkedObjects } from './linked-objects.ts'
import { addSearchObjects } from './search-objects.ts'

/** Adds the endpoints of revision 2.0: `/api/{apiFamily}/v1/objects/…`. */
export function addRevision2(app: App, services: Services): void {
  addSearchObjects(app, services)
  addGetObject(app, services)
  addGetObjectProperties(app, services)
  addListLinkedObjects(app, services)
}
