/** The messages between the main thread and the writer thread or a reader process. */

/** The jobs of a thread or process, by name. */
export type Jobs = Readonly<
  Record<string, (connection: never, input: never, items: never, free: never) => unknown>
>

export type JobInput<Job extends Jobs[string]> = Parameters<Job>[1]
export type JobResult<Job extends Jobs[string]> = ReturnType<Job>

/** Main thread to writer thread: the items of a job in parts, then the job or its cancellation. */
export type JobMessage = JobItems | JobRequest | JobGroup | CancelledJob | 'close'

interface JobItems {
  readonly id: number
  readonly items: readonly unknown[]
}

export interface JobRequest {
  readonly id: number
  readonly name: string
  readonly input: unknown
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
