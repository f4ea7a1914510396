/** The rows that every reader of data files yields, whatever the format. */

import { OBJECT_MAX_BYTES } from '../contract/limits.ts'
import { RemediableError, type Remedy } from './remedy.ts'

/** The maximum size of a record: escapes and quotes make it longer than its object. */
export const RECORD_MAX_BYTES = 2 * OBJECT_MAX_BYTES

/**
 * One record of a file. Its texts can be slices of a much larger string: copy those that you keep,
 * or they keep the whole chunk in memory.
 */
export interface Row {
  /** The line on which the record starts, or its number in Parquet; starts at 1. */
  readonly line: number
  /**
   * Values by column. Formats with a fixed set of columns represent a missing value as undefined,
   * the others omit it.
   */
  readonly cells: Readonly<Record<string, unknown>>
  /**
   * The columns of the file and the values of the row, in their order, if all rows have the same
   * columns. They are read in a fraction of the time that `cells` takes.
   */
  readonly table?: RowTable
  /** The JSON text of the record, if the file contains it and the cells are exact. */
  readonly json?: string
  /** The JSON text of the record, if the cells are not exact. */
  readonly source?: string
}

export interface RowTable {
  /** The same list in all rows of a file. */
  readonly columns: readonly string[]
  readonly values: readonly unknown[]
}

/** A row whose cells are made only if somebody asks for them. */
export class TableRow implements Row {
  readonly line: number
  readonly table: RowTable

  constructor(line: number, table: RowTable) {
    this.line = line
    this.table = table
  }

  get cells(): Row['cells'] {
    const { columns, values } = this.table
    const cells: Record<string, unknown> = {}
    for (let at = 0; at < columns.length; at += 1) setCell(cells, columns[at] as string, values[at])
    return cells
  }
}

/** Returns the columns of a row. */
export function columnsOf(row: Row): readonly string[] {
  return row.table?.columns ?? Object.keys(row.cells)
}

/** A record that cannot be read. Reading continues after it. */
export interface UnreadableRow {
  readonly line: number
  /** Completes a sentence: `has 3 columns, the header has 5`. */
  readonly reason: string
  /** The beginning of the record. */
  readonly excerpt: string
  readonly remedy?: Remedy
}

export type ReadRow = Row | UnreadableRow

export function isUnreadable(row: object): row is UnreadableRow {
  return 'reason' in row
}

/** The kind of cell values: text to be parsed, JSON values, or values of typed columns. */
export type CellKind = 'text' | 'json' | 'typed'

/** Returns the kind of one row: JSON rows with bigints are typed. */
export function kindOfRow(row: Row, kind: CellKind): CellKind {
  return kind === 'json' && row.json === undefined ? 'typed' : kind
}

/** The type that a file declares for a column. */
export type DeclaredType =
  | { readonly type: DeclaredScalar }
  | { readonly type: 'array'; readonly items: DeclaredType }
  | { readonly type: 'struct'; readonly fields: ReadonlyMap<string, DeclaredType | undefined> }

export type DeclaredScalar =
  | 'string'
  | 'boolean'
  | 'byte'
  | 'short'
  | 'integer'
  | 'long'
  | 'float'
  | 'double'
  | 'decimal'
  | 'date'
  | 'timestamp'

/** The records of a file, in batches. */
export interface RowSource {
  readonly kind: CellKind
  readonly rows: AsyncIterable<readonly ReadRow[]>
  /** The types that the file declares, by column. */
  readonly types?: ReadonlyMap<string, DeclaredType>
}

/** The file cannot be read, or not beyond this point. */
export class UnreadableFile extends RemediableError {
  override readonly name = 'UnreadableFile'
}

const EXCERPT_LENGTH = 80

/** Returns the beginning of a record or a value as one line, for messages. */
export function excerptOf(value: unknown): string {
  if (value === undefined) return ''
  const line = valueText(value)
    .slice(0, EXCERPT_LENGTH + 1)
    .replaceAll(/\p{Cc}+/gu, ' ')
  return line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line
}

/** Returns any cell value as text: arrays and objects as JSON, bigints exactly. */
export function valueText(value: unknown): string {
  return typeof value === 'object' && value !== null ? jsonText(value) : String(value)
}

function jsonText(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`).join(',')}}`
}

/** Returns a member of an object, such as a cell; undefined for what all objects have, such as `constructor`. */
export function ownValue<T>(members: Readonly<Record<string, T>>, name: string): T | undefined
export function ownValue(members: object, name: string): unknown
export function ownValue(members: object, name: string): unknown {
  return Object.hasOwn(members, name) ? (members as Record<string, unknown>)[name] : undefined
}

export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false
  return true
}

/** Sets a cell, even if the column is named `__proto__`. */
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
