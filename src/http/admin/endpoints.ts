import type { App } from '../app.ts'
import type { Services } from '../services.ts'
import { addApplyOntology, addGetOntologyDefinition } from './define-ontology.ts'
import { addDeleteByQuery } from './delete-by-query.ts'
import { addExportObjects } from './export-objects.ts'
import { addReplaceObjects } from './replace-objects.ts'
import { addSingleObject } from './single-object.ts'
import { addWriteObjects } from './write-objects.ts'

/** Adds the administration endpoints: `/api/admin/v1/ontologies/…`. */
export async function addAdministration(app: App, services: Services): Promise<void> {
  addApplyOntology(app, services)
  addGetOntologyDefinition(app)
  addReplaceObjects(app, services)
  addExportObjects(app, services)
  addDeleteByQuery(app, services)
  await addSingleObject(app, services)
  await addWriteObjects(app, services)
}
