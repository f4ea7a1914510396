import type { App } from '../app.ts'
import type { Services } from '../services.ts'
import { addCurrentUser } from '../v2/current-user.ts'
import { CLIENTS } from './clients.ts'
import { addCountObjects } from './count-objects.ts'
import { addCredentials } from './credentials.ts'
import { addApplyOntology, addGetOntologyDefinition } from './define-ontology.ts'
import { addDefinitionChange } from './definition-change.ts'
import { addDeleteByQuery } from './delete-by-query.ts'
import { addDeleteDefinition } from './delete-definition.ts'
import { addExportObjects } from './export-objects.ts'
import { addCaller } from './get-caller.ts'
import { addListAuditRecords } from './list-audit-records.ts'
import { addPolicies } from './policies.ts'
import { addReplaceObjects } from './replace-objects.ts'
import { refuseLimitedCallers } from './require-admin.ts'
import { addSingleObject } from './single-object.ts'
import { addStatus } from './status.ts'
import { TOKENS } from './tokens.ts'
import { addWriteObjects } from './write-objects.ts'

/** Adds the administration endpoints: `/api/admin/v1/…`, and the current user of the SDKs. */
export async function addAdministration(app: App, services: Services): Promise<void> {
  addCaller(app, services)
  addCurrentUser(app)
  addApplyOntology(app, services)
  addGetOntologyDefinition(app)
  addDefinitionChange(app, services)
  addDeleteDefinition(app, services)
  addCountObjects(app, services)
  addReplaceObjects(app, services)
  addExportObjects(app, services)
  addDeleteByQuery(app, services)
  await addSingleObject(app, services)
  await addWriteObjects(app, services)
  await app.register(async (operation: App) => {
    refuseLimitedCallers(operation)
    addCredentials(operation, services, TOKENS)
    addCredentials(operation, services, CLIENTS)
    addPolicies(operation, services)
    addStatus(operation, services)
    addListAuditRecords(operation, services)
  })
}
