/** What the main thread and a thread that works for it say to each other. */

/** Everything that a thread can be asked for, by name. */
export type Jobs = Readonly<
  Record<string, (connection: never, input: never, items: never) => unknown>
>

export type JobInput<Job extends Jobs[string]> = Parameters<Job>[1]
export type JobResult<Job extends Jobs[string]> = ReturnType<Job>

/** Main thread to working thread: the items of a job, part by part, then the job, or that it is off. */
export type JobMessage = JobItems | JobRequest | ForgottenJob | 'close'

export interface JobItems {
  readonly id: number
  readonly items: readonly unknown[]
}

export interface JobRequest {
  readonly id: number
  readonly name: string
  readonly input: unknown
}

export interface ForgottenJob {
  readonly id: number
  readonly isForgotten: true
}

/** The job of a reader process that is there from its beginning: to open the database. */
export const START_ID = 0

/** The outcome of a job. Errors are sent as data, because classes cannot be. */
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
