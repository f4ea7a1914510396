/** Files with a table of objects that are not text: Parquet, Arrow and Excel. */

/** The type of a column, which has the form of a property type. */
export type ColumnType =
  | { readonly kind: 'scalar'; readonly type: string }
  | { readonly kind: 'array'; readonly items: ColumnType }
  | { readonly kind: 'struct'; readonly fields: ReadonlyMap<string, ColumnType> }

export interface TableColumn {
  readonly name: string
  readonly type: ColumnType
  /** Whether every object has a value. */
  readonly isRequired: boolean
}

/** What a file is about. */
export interface TableSpec {
  /** The name of the object type. */
  readonly name: string
  readonly columns: readonly TableColumn[]
}

/** An object as exports have it; properties without a value are absent. */
export type TableObject = Readonly<Record<string, unknown>>

/** A file that is written from its beginning to its end, with memory that does not grow. */
export interface TableFile {
  add(objects: readonly TableObject[]): Promise<void>
  finish(): Promise<void>
}

/** Receives the bytes of a file. They are valid only until the promise resolves. */
export type WriteBytes = (bytes: Uint8Array) => Promise<void> | void

/** The metadata entry in which our exports say what Parquet and Arrow have no type for. */
export const TYPES_KEY = 'oqs.types'

/** Returns the types of columns, for the metadata of a file. */
export function typesText(columns: readonly TableColumn[]): string {
  const types = columns.map(({ name, type }) => [
    name,
    type.kind === 'scalar' ? type.type : type.kind,
  ])
  return JSON.stringify(Object.fromEntries(types))
}

/** Throws if an object has a property that the file has no column for. */
export function refuseAddedProperty(object: TableObject, names: ReadonlySet<string>): void {
  const added = Object.keys(object).find((name) => !names.has(name))
  if (added === undefined) return
  throw new Error(`property ${added} was added to the type during the export. Export again.`)
}
