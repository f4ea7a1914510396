/** The messages between the page and the worker that reads files. */
import type { FileFormat } from '../../formats/file-format.ts'
import type { CellKind, Row } from '../../formats/row.ts'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import type { Rejection } from '../../transfer/import/batch-sender.ts'
import type { ColumnOptions } from '../../transfer/import/column-plan.ts'
import type { InferredType } from '../../transfer/infer/infer-type.ts'

/** The facts about a file after it was read once. */
export interface FileReport {
  readonly format: FileFormat
  readonly kind: CellKind
  readonly inferred: InferredType
  readonly columns: readonly string[]
  /** The first rows that can be read. */
  readonly sample: readonly Row[]
  readonly rows: number
  /** False if the user stopped reading, so that later rows may differ. */
  readonly isWhole: boolean
}

export interface LoadSpec {
  readonly file: File
  readonly baseUrl: string
  readonly ontology: string
  readonly objectType: ObjectTypeDefinition
  readonly columns: ColumnOptions
  /** Whether existing objects are replaced or kept. */
  readonly mode: 'upsert' | 'append'
}

export type Command =
  | { readonly kind: 'read'; readonly file: File }
  | { readonly kind: 'load'; readonly spec: LoadSpec }
  /** The answer to `tokenNeeded`. */
  | { readonly kind: 'token'; readonly token: string }
  /** Ends a reading with the rows so far, or cancels a load. */
  | { readonly kind: 'stop' }

export interface LoadCounts {
  readonly rows: number
  /** Rows that the service has received; those of an empty type are visible after the last one. */
  readonly sent: number
  readonly put: number
  readonly kept: number
  readonly rejected: number
  readonly bytesRead: number
}

export type Report =
  | { readonly kind: 'reading'; readonly rows: number; readonly bytesRead: number }
  | { readonly kind: 'read'; readonly report: FileReport }
  | {
      readonly kind: 'loading'
      readonly counts: LoadCounts
      readonly rejections: readonly Rejection[]
    }
  /** Before every request: only the page can renew a token, and a load may outlast one. */
  | { readonly kind: 'tokenNeeded' }
  /** All rows are sent; the service builds the indexes before it shows them. */
  | { readonly kind: 'indexing' }
  | { readonly kind: 'loaded' }
  /** The load ended early; what was sent is stored, unless that is uncertain. */
  | {
      readonly kind: 'stopped'
      readonly reason: string | undefined
      readonly isUncertain: boolean
    }
  | { readonly kind: 'failed'; readonly reason: string }
