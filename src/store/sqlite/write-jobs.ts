import { commitBatch } from './commit-batch.ts'
import { reclaimStep } from './reclaim.ts'
import {
  abandonReplacement,
  indexReplacement,
  publishReplacement,
  startReplacement,
  touchReplacement,
} from './replacement.ts'
import { saveOntology } from './save-ontology.ts'
import { createApiToken, readPageTokenKeys, revokeApiTokens } from './secrets.ts'
import { noteSightings } from './sightings.ts'
import type { Jobs } from './thread-jobs.ts'

/** Everything that writes: what the main thread can ask of the writer thread. */
export const WRITE_JOBS = {
  saveOntology,
  commitBatch,
  startReplacement,
  touchReplacement,
  indexReplacement,
  publishReplacement,
  abandonReplacement,
  noteSightings,
  reclaimStep,
  readPageTokenKeys,
  createApiToken,
  revokeApiTokens,
} as const satisfies Jobs

export type WriteJobs = typeof WRITE_JOBS
