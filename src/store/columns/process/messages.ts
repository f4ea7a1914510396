/** The messages between the service and the columns process: plain data, see frames.ts. */
import type { ErrorName } from '../../../contract/error-catalogue.ts'
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { PublishedColumns } from '../../port/column-load.ts'
import type {
  AggregateRequest,
  AggregateResult,
  ReadPageRequest,
  ReadSetPageRequest,
} from '../../port/pages.ts'
import type { MergedRow } from '../page/merge-rows.ts'

/** The part of a page request that decides which objects the page has. */
export type FindPageRequest = Pick<
  ReadPageRequest,
  | 'objectType'
  | 'query'
  | 'order'
  | 'after'
  | 'version'
  | 'linkedVersions'
  | 'maxObjects'
  | 'omitRecords'
  | 'includeTotalCount'
>

/** The part of a request for a page over several types that decides which objects the page has. */
export interface FindSetPageRequest
  extends Pick<
    ReadSetPageRequest,
    'order' | 'after' | 'versions' | 'maxObjects' | 'includeTotalCount'
  > {
  readonly parts: readonly Pick<ReadSetPageRequest['parts'][number], 'objectType' | 'query'>[]
}

/** The objects of a page, up to one more than it can hold. */
interface FoundPage {
  readonly keys: readonly string[]
  /** The number of all matches, if their keys are left out. */
  readonly omitted?: number
  readonly totalCount: number | undefined
  readonly version: number
  readonly linkedVersions: readonly number[]
}

interface FoundSetPage {
  readonly rows: readonly MergedRow[]
  readonly totalCount: number | undefined
  /** In the order of `typesOfSet`. */
  readonly versions: readonly number[]
}

export interface Requests {
  readonly page: FindPageRequest
  readonly setPage: FindSetPageRequest
  readonly aggregate: AggregateRequest
}

export type Question = {
  readonly [Kind in keyof Requests]: { readonly kind: Kind; readonly request: Requests[Kind] }
}[keyof Requests]

export interface Answers {
  readonly page: FoundPage
  readonly setPage: FoundSetPage
  readonly aggregate: AggregateResult
}

/** Service to columns process. */
export type ColumnsMessage =
  | AskedQuestion
  | { readonly id: number; readonly isCancelled: true }
  | { readonly id: number; readonly status: true }
  /** Takes over columns that were built during a load. */
  | { readonly id: number; readonly adopt: PublishedColumns }
  /** Removes the file of columns that were built during a load. */
  | { readonly discard: string }
  /** Asks for a reply without an answer, as a sign of life. */
  | { readonly ping: true }
  /** The types whose columns are worth building, by RID. */
  | { readonly prepare: readonly string[] }

export interface AskedQuestion {
  readonly id: number
  readonly callerId: string
  readonly question: Question
}

/** The number of the reply to a ping. */
export const NO_QUESTION = 0

/** Columns process to service. */
export type ColumnsReply =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly unavailable: Unavailable }
  | { readonly id: number; readonly refused: Refusal }

/** Why columns do not answer, so that the database has to. */
export interface Unavailable {
  readonly reason:
    | 'building'
    | 'tooSmall'
    | 'tooLarge'
    | 'unsupported'
    | 'outdated'
    | 'cancelled'
    | 'failed'
  /** The types that have no columns for now: asking for them again is useless for a while. */
  readonly types?: readonly string[]
}

interface Refusal {
  readonly errorName: string
  readonly parameters: object
}

/** Errors are sent as plain data, because class instances cannot be sent. */
export function refusalOf(error: ObjectQueryError): Refusal {
  return { errorName: error.errorName, parameters: error.parameters }
}

export function errorOf({ errorName, parameters }: Refusal): ObjectQueryError {
  return new ObjectQueryError(errorName as ErrorName, { ...parameters })
}
