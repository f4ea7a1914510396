/** The messages between the main thread and the writer thread or a reader process. */
import type { ErrorName } from '../../../contract/error-catalogue.ts'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { toStoreFailure } from '../file/store-failure.ts'

/** The jobs of a thread or process, by name. */
export type Jobs = Readonly<
  Record<string, (connection: never, input: never, items: never, free: never) => unknown>
>

export type JobInput<Job extends Jobs[string]> = Parameters<Job>[1]
export type JobResult<Job extends Jobs[string]> = ReturnType<Job>

/**
 * Main thread to writer thread: the items of a job in parts, then the job with its last items, or its
 * cancellation.
 */
export type JobMessage = JobItems | JobRequest | JobGroup | CancelledJob | 'close'

interface JobItems {
  readonly id: number
  readonly items: readonly unknown[]
}

export interface JobRequest {
  readonly id: number
  readonly name: string
  readonly input: unknown
  readonly items?: readonly unknown[] | undefined
}

/** Jobs that share a transaction. */
interface JobGroup {
  readonly group: readonly JobRequest[]
}

interface CancelledJob {
  readonly id: number
  readonly isCancelled: true
}

/** The ID of the implicit first job of a reader process: opening the database. */
export const START_ID = 0

/** A part of the result of a reader process, which follows; see `splitResult`. */
export interface ResultPiece {
  readonly id: number
  readonly piece: Uint8Array
}

/** The outcomes of the jobs of a group. */
export interface GroupReply {
  readonly replies: readonly JobReply[]
}

/** The outcome of a job. Errors are sent as plain data, because class instances cannot be sent. */
export type JobReply = { readonly id: number } & ({ readonly result: unknown } | FailedReply)

export type FailedReply =
  | { readonly refused: { readonly errorName: string; readonly parameters: object } }
  | {
      readonly failed: {
        readonly message: string
        readonly stack: string | undefined
        readonly errcode: number | undefined
      }
    }

/** Restores the error of a job from the reply of its thread or process. */
export function failureOf(reply: FailedReply): unknown {
  if ('refused' in reply) {
    const { errorName, parameters } = reply.refused
    return new ObjectQueryError(errorName as ErrorName, { ...parameters })
  }
  return toStoreFailure(Object.assign(new Error(reply.failed.message), reply.failed))
}

/**
 * A result whose records are sent in pieces. A message of many megabytes would block the event loop of
 * the service, which copies each message twice before it can use it.
 */
interface PiecedResult {
  readonly records: readonly Uint8Array[]
}

/** Returns the pieces of a result, to be sent before the result without them. */
export function splitResult(result: unknown): {
  readonly pieces: readonly Uint8Array[]
  readonly rest: unknown
} {
  if (!isPieced(result)) return { pieces: [], rest: result }
  return { pieces: result.records, rest: { ...result, records: [] } }
}

/** Returns the result again. */
export function joinResult(pieces: readonly Uint8Array[], rest: unknown): unknown {
  return isPieced(rest) ? { ...rest, records: pieces } : rest
}

function isPieced(result: unknown): result is PiecedResult {
  if (typeof result !== 'object' || result === null || !('records' in result)) return false
  return Array.isArray(result.records)
}
