/** The messages between the main thread and a thread that parses batches. */

import type { ObjectType } from '../../ontology/ontology.ts'
import type { CreationFacts } from '../../ontology/values/read-object.ts'
import type { ChangePart, LoadedColumns } from '../../store/object-store.ts'
import type { SentError } from '../thread-errors.ts'

/** Some bytes of a batch. A thread answers each message before it reads the next one. */
export interface ParseMessage {
  readonly batch: number
  /** With the first bytes only. */
  readonly opened?: OpenedBatch
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

export interface OpenedBatch {
  /** The number of the type, which the thread may know already. */
  readonly type: number
  readonly objectType: ObjectType | undefined
  /** Types that the thread can forget. */
  readonly evicted: readonly number[]
  /** What defaults are made from. */
  readonly creation: CreationFacts
  /** What the encoder of the store needs; undefined if the changes are only checked. */
  readonly encoding: { readonly options: unknown } | undefined
  /** The load whose columns are built from the batch. */
  readonly load: string | undefined
}

/** Completes the columns of a load, or drops them. */
export interface EndLoadMessage {
  readonly batch: number
  readonly ended: string
  readonly isDropped: boolean
}

/** Drops a batch of which no more bytes follow. */
interface CloseMessage {
  readonly closed: number
}

export type ParserMessage = ParseMessage | CloseMessage | EndLoadMessage | 'end'

export type ParserReply = { readonly batch: number } & (
  | { readonly parsed: ParsedBytes }
  | { readonly loaded: LoadedColumns | undefined }
  | SentError
)

export interface ParsedBytes {
  /** The number of changes in the bytes, whether they are in a part already or not. */
  readonly count: number
  readonly parts: readonly ChangePart[]
}
