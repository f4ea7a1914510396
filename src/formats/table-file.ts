/** Files with a table of objects that are not text: Parquet, Arrow and Excel. */

import { decodeUtf8 } from './utf8.ts'

/** The type of a column, which has the form of a property type. */
export type ColumnType =
  | {
      readonly kind: 'scalar'
      readonly type: string
      /** Of decimals; without them, decimals are text. */
      readonly digits?: DecimalDigits
    }
  | { readonly kind: 'array'; readonly items: ColumnType }
  | { readonly kind: 'struct'; readonly fields: ReadonlyMap<string, ColumnType> }

export interface DecimalDigits {
  /** All digits, on both sides of the decimal point. */
  readonly precision: number
  /** The digits after the decimal point. */
  readonly scale: number
}

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
  /** Adds records: JSON objects, with line feeds between them. */
  add(records: Uint8Array): Promise<void>
  finish(): Promise<void>
}

/** A file in pieces that do not depend on each other, so that several threads can write them. */
export interface FileInPieces extends TableFile {
  /** Ends a piece: writes all records that were added. */
  endPiece(): Promise<void>
}

/** Receives the bytes of a file. They are valid only until the promise resolves. */
export type WriteBytes = (bytes: Uint8Array) => Promise<void> | void

/** Returns the objects of records. */
export function parseRecords(records: Uint8Array, names: ReadonlySet<string>): TableObject[] {
  return (decodeUtf8(records) ?? '').split('\n').map((line) => {
    const object = JSON.parse(line) as TableObject
    const added = Object.keys(object).find((name) => !names.has(name))
    if (added !== undefined) throw addedProperty(added)
    return object
  })
}

/** The error for a property that the file has no column for. */
export function addedProperty(name: string): Error {
  return new Error(`property ${name} was added to the type during the export. Export again.`)
}
