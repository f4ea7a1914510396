/** The jobs of the writer thread: everything that writes. */
import { appendAuditRecords, deleteAuditRecords } from '../catalogue/audit-records.ts'
import {
  deleteDocument,
  deleteExpiredDocuments,
  extendDocument,
  putDocument,
  takeDocument,
} from '../catalogue/documents.ts'
import { reclaimStep } from '../catalogue/reclaim.ts'
import {
  abandonReplacement,
  indexReplacement,
  publishReplacement,
  startReplacement,
  touchReplacement,
} from '../catalogue/replacement.ts'
import { deleteOntology, saveOntology } from '../catalogue/save-ontology.ts'
import {
  createApiToken,
  deleteApiTokens,
  deleteIssuedTokens,
  readPageTokenKeys,
  revokeApiTokens,
  revokeIssuedTokens,
} from '../catalogue/secrets.ts'
import { saveSightings } from '../catalogue/sightings.ts'
import { cancelChange } from '../rewrite/definition-change.ts'
import { rewriteStep } from '../rewrite/rewrite-step.ts'
import { applyBatch, commitBatch } from '../writes/commit-batch.ts'
import { applyEdit } from '../writes/commit-edit.ts'
import { deleteRows } from '../writes/delete-matches.ts'
import { deleteExpiredKeys, findRecorded } from '../writes/idempotency-keys.ts'
import type { Jobs } from './thread-jobs.ts'

export const WRITE_JOBS = {
  saveOntology,
  deleteOntology,
  cancelChange,
  commitBatch,
  deleteRows,
  deleteExpiredKeys,
  findRecorded,
  startReplacement,
  touchReplacement,
  indexReplacement,
  publishReplacement,
  abandonReplacement,
  saveSightings,
  reclaimStep,
  rewriteStep,
  readPageTokenKeys,
  createApiToken,
  revokeApiTokens,
  deleteApiTokens,
  revokeIssuedTokens,
  deleteIssuedTokens,
  putDocument,
  takeDocument,
  extendDocument,
  deleteDocument,
  deleteExpiredDocuments,
  appendAuditRecords,
  deleteAuditRecords,
} as const satisfies Jobs

/** The jobs that can share a transaction, which their caller opens. */
export const GROUPED_JOBS = { commitBatch: applyBatch, commitEdit: applyEdit } as const

export type WriteJobs = typeof WRITE_JOBS
