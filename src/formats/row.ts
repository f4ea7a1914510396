/** What every reader of a data file delivers, whatever the format. */

/** One record of a file. */
export interface Row {
  /** Where the record starts, counted from 1: its line, or in Parquet its number. */
  readonly line: number
  /** Values by column, as the format knows them. */
  readonly cells: Readonly<Record<string, unknown>>
  /** The record as JSON text, where the file holds just that. */
  readonly json?: string
}

/** A record that cannot be read; the rest of the file still can. */
export interface UnreadableRow {
  readonly line: number
  readonly reason: string
  /** The beginning of what stands there. */
  readonly excerpt: string
}

export type ReadRow = Row | UnreadableRow

export function isUnreadable(row: ReadRow): row is UnreadableRow {
  return 'reason' in row
}

/** What a cell can hold: text to be understood, JSON values, or the values of a typed column. */
export type CellKind = 'text' | 'json' | 'typed'

/** The records of a file, some at a time. */
export interface RowSource {
  readonly kind: CellKind
  readonly rows: AsyncIterable<readonly ReadRow[]>
}

/** The file as a whole cannot be read, or not any further. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
}
