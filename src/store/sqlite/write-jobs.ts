import type { DatabaseSync } from 'node:sqlite'
import { commitBatch } from './commit-batch.ts'
import { reclaimStep } from './reclaim.ts'
import {
  abandonReplacement,
  indexReplacement,
  publishReplacement,
  startReplacement,
} from './replacement.ts'
import { saveOntology } from './save-ontology.ts'
import { createApiToken, readPageTokenKeys, revokeApiTokens } from './secrets.ts'

/** Everything that writes, by name: what the main thread can ask of the writer thread. */
export const WRITE_JOBS = {
  saveOntology,
  commitBatch,
  startReplacement,
  indexReplacement,
  publishReplacement,
  abandonReplacement,
  reclaimStep,
  readPageTokenKeys,
  createApiToken,
  revokeApiTokens,
} as const satisfies Record<string, (db: DatabaseSync, input: never, items: never) => unknown>

export type JobName = keyof typeof WRITE_JOBS
export type JobInput<Name extends JobName> = Parameters<(typeof WRITE_JOBS)[Name]>[1]
export type JobResult<Name extends JobName> = ReturnType<(typeof WRITE_JOBS)[Name]>

/** Main thread to writer thread: the items of a job, part by part, then the job, or that it is off. */
export type WriterMessage = JobItems | JobRequest | ForgottenJob | 'close'

export interface ForgottenJob {
  readonly id: number
  readonly name: 'forget'
}

export interface JobItems {
  readonly id: number
  readonly items: readonly unknown[]
}

export interface JobRequest {
  readonly id: number
  readonly name: JobName
  readonly input: unknown
}

/** Writer thread to main thread. Errors cross as data: classes do not survive the crossing. */
export type JobReply = { readonly id: number } & (
  | { readonly result: unknown }
  | { readonly refused: { readonly errorName: string; readonly parameters: object } }
  | {
      readonly failed: {
        readonly message: string
        readonly stack: string | undefined
        readonly errcode: number | undefined
      }
    }
)
