import { OBJECT_MAX_BYTES } from '../contract/limits.ts'

/** What every reader of a data file delivers, whatever the format. */

/** Bytes of the largest record: escapes and quotes can make it longer than the object it holds. */
export const RECORD_MAX_BYTES = 2 * OBJECT_MAX_BYTES

/**
 * One record of a file. Its texts can be slices of a much larger text: who keeps some of many rows
 * for long copies them, or keeps the whole file in memory.
 */
export interface Row {
  /** Where the record starts, counted from 1: its line, or in Parquet its number. */
  readonly line: number
  /**
   * Values by column, as the format knows them. Where all rows of a file have the same columns, one
   * without a value is there and undefined; otherwise it is not there.
   */
  readonly cells: Readonly<Record<string, unknown>>
  /** The record as JSON text, where the file holds just that and its cells lose nothing of it. */
  readonly json?: string
}

/** A record that cannot be read; the rest of the file still can. */
export interface UnreadableRow {
  readonly line: number
  /** Goes on after the line: `has 3 columns, the header has 5`. */
  readonly reason: string
  /** The beginning of what stands there. */
  readonly excerpt: string
}

export type ReadRow = Row | UnreadableRow

export function isUnreadable(row: object): row is UnreadableRow {
  return 'reason' in row
}

/** What a cell can hold: text to be understood, JSON values, or the values of a typed column. */
export type CellKind = 'text' | 'json' | 'typed'

/** How the cells of one row are to be read: JSON with big integers is more than JSON values. */
export function kindOfRow(row: Row, kind: CellKind): CellKind {
  return kind === 'json' && row.json === undefined ? 'typed' : kind
}

/** The records of a file, some at a time. */
export interface RowSource {
  readonly kind: CellKind
  readonly rows: AsyncIterable<readonly ReadRow[]>
}

/** The file as a whole cannot be read, or not any further. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
}

const EXCERPT_LENGTH = 80

/** The beginning of a record or of a value, to be shown to a person in one line. */
export function excerptOf(value: unknown): string {
  if (value === undefined) return ''
  const line = valueText(value)
    .slice(0, EXCERPT_LENGTH + 1)
    .replaceAll(/\p{Cc}+/gu, ' ')
  return line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line
}

/** Any value of a cell as text: arrays and objects as JSON, whole numbers of any size exactly. */
export function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'bigint' ? String(inner) : inner,
  )
}

/** Sets a cell, also where the column has a name that plain assignment would not take. */
export function setCell(cells: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(cells, name, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  } else cells[name] = value
}
