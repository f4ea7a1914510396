/** The endpoints that need a bearer token, by API. */
import { refuseLimitedCaller } from '../access/caller-rights.ts'
import { revision1ActionTypes, v2ActionTypes } from './actions/action-types.ts'
import { revision1Actions } from './actions/revision-1-actions.ts'
import { v2Actions } from './actions/v2-actions.ts'
import { CLIENTS } from './admin/clients.ts'
import { credentials } from './admin/credentials.ts'
import { definitions } from './admin/definitions.ts'
import { deleteByQuery } from './admin/delete-by-query.ts'
import { exportObjects } from './admin/export-objects.ts'
import { getCaller } from './admin/get-caller.ts'
import { getObjectCounts } from './admin/get-object-counts.ts'
import { listAuditRecords } from './admin/list-audit-records.ts'
import { policies } from './admin/policies.ts'
import { replacements } from './admin/replace-objects.ts'
import { savedViews } from './admin/saved-views.ts'
import { addSingleObject } from './admin/single-object.ts'
import { sourceReports } from './admin/source-reports.ts'
import { getStatus } from './admin/status.ts'
import { TOKENS } from './admin/tokens.ts'
import { addWriteObjects } from './admin/write-objects.ts'
import type { App } from './app.ts'
import { addEndpoints } from './endpoint.ts'
import { createDownload } from './one-time-links/downloads.ts'
import { deleteSession, sendSessionCode } from './one-time-links/sessions.ts'
import { aggregateObjects } from './revision-1/revision-1-aggregate.ts'
import { listObjectChanges } from './revision-1/revision-1-changes.ts'
import { revision1Metadata } from './revision-1/revision-1-metadata.ts'
import { revision1Objects } from './revision-1/revision-1-objects.ts'
import { searchObjectsRevision1 } from './revision-1/revision-1-search.ts'
import { revision2Objects } from './revision-2/revision-2-objects.ts'
import { refuseBranch } from './schemas/v2-parameters.ts'
import type { Services } from './services.ts'
import { getCurrentUser } from './v2/current-user.ts'
import { interfaceObjects } from './v2/interface-objects.ts'
import { loadLinks } from './v2/load-links.ts'
import { v2Aggregations } from './v2/v2-aggregate.ts'
import { v2Changes } from './v2/v2-changes.ts'
import { v2Metadata } from './v2/v2-metadata-endpoints.ts'
import { v2ObjectSets } from './v2/v2-object-sets.ts'
import { v2Objects } from './v2/v2-objects.ts'
import { sliceObjects } from './v2/v2-slices.ts'

/** Adds the endpoints of revision 1.0: `/api/v1/ontologies/…`. */
export function addRevision1(app: App, services: Services): void {
  addEndpoints(app, services, [
    ...revision1Metadata,
    ...revision1Objects,
    listObjectChanges,
    searchObjectsRevision1,
    aggregateObjects,
    ...revision1ActionTypes,
    ...revision1Actions,
  ])
}

/** Adds the endpoints of revision 2.0: `/api/{apiFamily}/v1/objects/…`. */
export function addRevision2(app: App, services: Services): void {
  addEndpoints(app, services, revision2Objects)
}

/** Adds the endpoints of v2: `/api/v2/ontologies/…`. */
export function addV2(app: App, services: Services): void {
  void app.register(async (v2: App) => {
    v2.addHook('preHandler', async ({ query }) => refuseBranch(query))
    addEndpoints(v2, services, [
      ...v2Metadata,
      ...interfaceObjects,
      ...v2Objects,
      ...v2ActionTypes,
      ...v2Actions,
      ...v2Aggregations,
      ...v2ObjectSets,
      ...v2Changes,
      sliceObjects,
      loadLinks,
    ])
  })
}

/** Adds the administration endpoints: `/api/admin/v1/…`, and the current user of the SDKs. */
export async function addAdministration(app: App, services: Services): Promise<void> {
  addEndpoints(app, services, [
    getCaller,
    getCurrentUser,
    ...definitions,
    getObjectCounts,
    ...replacements,
    exportObjects,
    deleteByQuery,
    ...savedViews,
    ...sourceReports,
    createDownload,
    sendSessionCode,
    deleteSession,
  ])
  await addSingleObject(app, services)
  await addWriteObjects(app, services)
  await app.register(async (operation: App) => {
    operation.addHook('preValidation', async ({ caller }) => refuseLimitedCaller(caller))
    addEndpoints(operation, services, [
      ...credentials(TOKENS),
      ...credentials(CLIENTS),
      ...policies,
      getStatus,
      listAuditRecords,
    ])
  })
}
