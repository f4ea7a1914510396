import { addActions } from '../actions/revision-1-actions.ts'
import type { App } from '../app.ts'
import { addLinkTypes } from '../metadata/link-types.ts'
import { REVISION_1 } from '../metadata/metadata-api.ts'
import { addOntologies } from '../metadata/ontologies.ts'
import { describeLink, LinkTypeResponse } from '../schemas/metadata.ts'
import type { Services } from '../services.ts'
import { addAggregateObjects } from './aggregate-objects.ts'
import { addGetObject } from './get-object.ts'
import { addGetLinkedObject, addListLinkedObjects } from './linked-objects.ts'
import { addListObjects } from './list-objects.ts'
import { addObjectTypes } from './object-types.ts'
import { addSearchObjects } from './search-objects.ts'

/** Adds the endpoints of revision 1.0: `/api/v1/ontologies/…`. */
export function addRevision1(app: App, services: Services): void {
  addOntologies(app, services, REVISION_1, { list: 'listOntologies', get: 'getOntology' })
  addObjectTypes(app, services)
  addLinkTypes(app, services, REVISION_1, {
    operationIds: { list: 'listOutgoingLinkTypes', get: 'getOutgoingLinkType' },
    describe: describeLink,
    response: LinkTypeResponse,
  })
  addListObjects(app, services)
  addGetObject(app, services)
  addListLinkedObjects(app, services)
  addGetLinkedObject(app, services)
  addSearchObjects(app, services)
  addAggregateObjects(app, services)
  addActions(app, services)
}
