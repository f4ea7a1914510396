import type { App } from '../app.ts'
import type { Services } from '../services.ts'
import { addCaller, addCurrentUser } from '../v2/current-user.ts'
import { addApplyOntology, addGetOntologyDefinition } from './define-ontology.ts'
import { addDeleteByQuery } from './delete-by-query.ts'
import { addExportObjects } from './export-objects.ts'
import { addReplaceObjects } from './replace-objects.ts'
import { addSingleObject } from './single-object.ts'
import { addWriteObjects } from './write-objects.ts'

/** Adds the administration endpoints: `/api/admin/v1/…`, and the current user of the SDKs. */
export async function addAdministration(app: App, services: Services): Promise<void> {
  addCaller(app, services)
  addCurrentUser(app)
  addApplyOntology(app, services)
  addGetOntologyDefinition(app)
  addReplaceObjects(app, services)
  addExportObjects(app, services)
  addDeleteByQuery(app, services)
  await addSingleObject(app, services)
  await addWriteObjects(app, services)
}
