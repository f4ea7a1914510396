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
  createApiToken,
  deleteApiTokens,
  deleteIssuedTokens,
  readPageTokenKeys,
  revokeApiTokens,
  revokeIssuedTokens,
} from '../catalogue/secrets.ts'
import { saveSightings } from '../catalogue/sightings.ts'
import { deleteOntology, saveOntology } from '../construction/definition-jobs.ts'
import {
  abandonReplacement,
  indexReplacement,
  publishReplacement,
  startReplacement,
  touchReplacement,
} from '../construction/replacement-jobs.ts'
import { cancelDefinitionChange, rewriteStep } from '../construction/rewrite-step.ts'
import { commitBatch } from '../staged/commit-or-stage.ts'
import { forgetStaged, stageDelete, stageStep } from '../staged/staged-jobs.ts'
import { listStaged, undoStaged } from '../staged/undo-staged.ts'
import { applyBatch } from '../writes/commit-batch.ts'
import { applyEdit } from '../writes/commit-edit.ts'
import { deleteRows } from '../writes/delete-matches.ts'
import { deleteExpiredKeys, findRecorded } from '../writes/idempotency-keys.ts'
import type { Jobs } from './thread-jobs.ts'

export const WRITE_JOBS = {
  saveOntology,
  deleteOntology,
  cancelDefinitionChange,
  commitBatch,
  deleteRows,
  stageDelete,
  stageStep,
  forgetStaged,
  listStaged,
  undoStaged,
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

/** The jobs that keep their items, and free them when they no longer need them. */
export const KEEPS_ITEMS: ReadonlySet<string> = new Set(['commitBatch'])

/** The jobs that can share a transaction, which their caller opens. */
export const GROUPED_JOBS = { commitBatch: applyBatch, commitEdit: applyEdit } as const

export type WriteJobs = typeof WRITE_JOBS
