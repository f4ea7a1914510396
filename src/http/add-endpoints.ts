/** The endpoints that need a bearer token, by API. */
import { refuseLimitedCaller } from '../access/caller.ts'
import { revision1ActionTypes, v2ActionTypes } from './actions/action-types.ts'
import { applyAction, applyActionBatch, validateAction } from './actions/revision-1-actions.ts'
import { applyActionBatchV2, applyActionV2 } from './actions/v2-actions.ts'
import { CLIENTS } from './admin/clients.ts'
import { credentials } from './admin/credentials.ts'
import {
  applyOntology,
  cancelOntologyChange,
  deleteObjectType,
  deleteOntology,
  getOntologyChange,
  getOntologyDefinition,
} from './admin/definitions.ts'
import { deleteByQuery } from './admin/delete-by-query.ts'
import { exportObjects } from './admin/export-objects.ts'
import { getCaller } from './admin/get-caller.ts'
import { getObjectCounts } from './admin/get-object-counts.ts'
import { listAuditRecords } from './admin/list-audit-records.ts'
import { policies } from './admin/policies.ts'
import {
  abandonReplacement,
  publishReplacement,
  startReplacement,
} from './admin/replace-objects.ts'
import { addSingleObject } from './admin/single-object.ts'
import { getStatus } from './admin/status.ts'
import { TOKENS } from './admin/tokens.ts'
import { addWriteObjects } from './admin/write-objects.ts'
import type { App } from './app.ts'
import { addEndpoints } from './endpoint.ts'
import { createDownload } from './one-time/downloads.ts'
import { deleteSession } from './one-time/sessions.ts'
import { aggregateObjects } from './revision-1/revision-1-aggregate.ts'
import { revision1Metadata } from './revision-1/revision-1-metadata.ts'
import {
  getLinkedObject,
  getObject,
  listLinkedObjects,
  listObjects,
} from './revision-1/revision-1-objects.ts'
import { searchObjectsRevision1 } from './revision-1/revision-1-search.ts'
import {
  getObjectByKey,
  getObjectProperties,
  listLinkedObjectsByKey,
  searchObjects,
} from './revision-2/revision-2-objects.ts'
import { refuseBranch } from './schemas/v2-parameters.ts'
import type { Services } from './services.ts'
import { getCurrentUser } from './v2/current-user.ts'
import {
  listInterfaceLinkedObjects,
  listInterfaceObjects,
  searchInterfaceObjects,
} from './v2/interface-objects.ts'
import { loadLinks } from './v2/load-links.ts'
import {
  aggregateInterfaceObjects,
  aggregateObjectSet,
  aggregateObjectsBatch,
  aggregateObjectsV2,
} from './v2/v2-aggregate.ts'
import { v2Metadata } from './v2/v2-metadata-endpoints.ts'
import {
  createTemporaryObjectSet,
  getObjectSet,
  loadObjects,
  loadObjectsMultipleObjectTypes,
  loadObjectsOrInterfaces,
} from './v2/v2-object-sets.ts'
import {
  countObjects,
  getLinkedObjectV2,
  getObjectV2,
  listLinkedObjectsV2,
  listObjectsV2,
  searchObjectsV2,
} from './v2/v2-objects.ts'

/** Adds the endpoints of revision 1.0: `/api/v1/ontologies/…`. */
export function addRevision1(app: App, services: Services): void {
  addEndpoints(app, services, [
    ...revision1Metadata,
    listObjects,
    getObject,
    listLinkedObjects,
    getLinkedObject,
    searchObjectsRevision1,
    aggregateObjects,
    ...revision1ActionTypes,
    applyAction,
    applyActionBatch,
    validateAction,
  ])
}

/** Adds the endpoints of revision 2.0: `/api/{apiFamily}/v1/objects/…`. */
export function addRevision2(app: App, services: Services): void {
  addEndpoints(app, services, [
    searchObjects,
    getObjectByKey,
    getObjectProperties,
    listLinkedObjectsByKey,
  ])
}

/** Adds the endpoints of v2: `/api/v2/ontologies/…`. */
export function addV2(app: App, services: Services): void {
  void app.register(async (v2: App) => {
    v2.addHook('preHandler', async ({ query }) => refuseBranch(query))
    addEndpoints(v2, services, [
      ...v2Metadata,
      listInterfaceObjects,
      searchInterfaceObjects,
      aggregateInterfaceObjects,
      listInterfaceLinkedObjects,
      loadObjectsMultipleObjectTypes,
      loadObjectsOrInterfaces,
      listObjectsV2,
      getObjectV2,
      ...v2ActionTypes,
      applyActionV2,
      applyActionBatchV2,
      countObjects,
      searchObjectsV2,
      aggregateObjectsV2,
      aggregateObjectsBatch,
      listLinkedObjectsV2,
      getLinkedObjectV2,
      loadObjects,
      aggregateObjectSet,
      loadLinks,
      createTemporaryObjectSet,
      getObjectSet,
    ])
  })
}

/** Adds the administration endpoints: `/api/admin/v1/…`, and the current user of the SDKs. */
export async function addAdministration(app: App, services: Services): Promise<void> {
  addEndpoints(app, services, [
    getCaller,
    getCurrentUser,
    applyOntology,
    getOntologyDefinition,
    getOntologyChange,
    cancelOntologyChange,
    deleteObjectType,
    deleteOntology,
    getObjectCounts,
    startReplacement,
    publishReplacement,
    abandonReplacement,
    exportObjects,
    deleteByQuery,
    createDownload,
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
