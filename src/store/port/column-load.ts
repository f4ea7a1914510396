/** Columns that are built while a replacement is loaded, by the threads that parse its batches. */
import type { ObjectType } from '../../ontology/ontology.ts'
import type { StoredObject } from '../../ontology/values/read-object.ts'

export interface ColumnLoadOptions {
  /** Where the columns are kept. */
  readonly folder: string
  /** The most rows of a segment; questions take a little longer with each further segment. */
  readonly segmentRows?: number
}

/** How threads build columns: the URL of a module that exports `createColumnLoad`, and its options. */
export interface ColumnLoading extends ColumnLoadOptions {
  readonly module: string
}

export type CreateColumnLoad = (objectType: ObjectType, options: ColumnLoadOptions) => ColumnLoad

/** The columns of one replacement. Any failure only means that they are built later. */
export interface ColumnLoad extends Disposable {
  /** Adds an object that no other batch has. */
  add(object: StoredObject): void
  /** Completes the columns; undefined if there are too few objects, or an object is repeated. */
  finish(): LoadedColumns | undefined
}

/** Columns in a file that nobody reads before they belong to a published table. */
export interface LoadedColumns {
  /** The random name of the file. */
  readonly name: string
  readonly rows: number
  /** Known to the columns process alone. */
  readonly content: unknown
}

/** Loaded columns, and the commit that published their objects. */
export interface PublishedColumns extends LoadedColumns {
  readonly typeRid: string
  readonly replacement: string
  readonly version: number
}
