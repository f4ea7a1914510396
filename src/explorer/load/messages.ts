/** The messages between the page and the worker that reads files. */
import type { FileFormat } from '../../formats/file-format.ts'
import type { CellKind, Row } from '../../formats/row.ts'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import type { ColumnOptions } from '../../transfer/columns/column-plan.ts'
import type { ChangeCounts } from '../../transfer/compare/change-journal.ts'
import type { UndoResult } from '../../transfer/compare/stored-objects.ts'
import type { Rejection } from '../../transfer/import/batch.ts'
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

/** How a file becomes objects of a type. */
export interface LoadSpec {
  readonly file: File
  readonly baseUrl: string
  readonly ontology: string
  readonly objectType: ObjectTypeDefinition
  readonly columns: ColumnOptions
  /** Whether existing objects are replaced, kept, or changed where the file has columns. */
  readonly mode: 'upsert' | 'append' | 'merge'
  /** What was created for this file, and goes if none of its rows can be stored. */
  readonly created: 'type' | 'ontology' | undefined
  /** Whether the rows have no key, and get the numbers after the last object. */
  readonly isNumbered: boolean
}

/** What a load would do, by comparing every row with the objects of the service. */
export interface Comparison extends ChangeCounts {
  readonly rows: number
  readonly rejected: number
  /** False if a key was repeated that was no longer remembered. */
  readonly isExact: boolean
  /** False if the load changes more than the browser keeps to undo it. */
  readonly isUndoable: boolean
}

export type Command =
  | { readonly kind: 'read'; readonly file: File }
  | { readonly kind: 'compare'; readonly spec: LoadSpec }
  | { readonly kind: 'load'; readonly spec: LoadSpec }
  /** Takes the load of this worker back. */
  | { readonly kind: 'undo' }
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

/** What remains of a load when it has ended. */
export interface LoadRemains {
  /** Whether this worker can undo it. */
  readonly isUndoable: boolean
  /** The newest version of the type that the load wrote; 0 if it wrote nothing. */
  readonly version: number
  /** Whether the type that was created for the file was removed, because it has no rows. */
  readonly isTypeRemoved: boolean
}

export type Report =
  | { readonly kind: 'reading'; readonly rows: number; readonly bytesRead: number }
  | { readonly kind: 'read'; readonly report: FileReport }
  | { readonly kind: 'comparing'; readonly rows: number }
  | { readonly kind: 'compared'; readonly comparison: Comparison }
  | {
      readonly kind: 'loading'
      readonly counts: LoadCounts
      readonly rejections: readonly Rejection[]
    }
  /** All rows are sent; the service builds the indexes before it shows them. */
  | { readonly kind: 'indexing' }
  | { readonly kind: 'loaded'; readonly remains: LoadRemains }
  /** The load ended early; what was sent is stored, unless that is uncertain. */
  | {
      readonly kind: 'stopped'
      readonly reason: string | undefined
      readonly isUncertain: boolean
      readonly remains: LoadRemains
    }
  | { readonly kind: 'undone'; readonly result: UndoResult }
  | { readonly kind: 'failed'; readonly reason: string }

/** The parameters of the current route, which say where a dropped file goes. */
export interface ScreenParams {
  readonly ontology?: string
  readonly type?: string
  readonly key?: string
}
