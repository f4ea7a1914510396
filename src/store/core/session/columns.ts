/**
 * How the columns of a row are read. Both databases return rows as arrays, but PostgreSQL returns
 * 64-bit integers as texts, and SQLite returns truth values as 0 and 1. A reader hides that.
 */

/** Reads the value of a column. Throws if the value has another type. */
export type ColumnReader<Value> = (value: unknown) => Value

/** The columns of a statement by name, in the order of the statement. */
export type Columns = Readonly<Record<string, ColumnReader<unknown>>>

export type RowOf<Of extends Columns> = { readonly [Name in keyof Of]: ReturnType<Of[Name]> }

export function integer(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value === 'string' || typeof value === 'bigint') return Number(value)
  throw unexpected('an integer', value)
}

export function text(value: unknown): string {
  if (typeof value === 'string') return value
  throw unexpected('a text', value)
}

export function boolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  if (value === 0 || value === 1) return value === 1
  throw unexpected('a truth value', value)
}

export function bytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw unexpected('bytes', value)
}

/** Reads a text that is one of a few words. The schema of the table allows no other. */
export function word<Word extends string>(value: unknown): Word {
  return text(value) as Word
}

/** Reads JSON text that this service has written. */
export function json<Value>(value: unknown): Value {
  return JSON.parse(text(value)) as Value
}

/** Reads a column that can be NULL, which becomes undefined. */
export function optional<Value>(read: ColumnReader<Value>): ColumnReader<Value | undefined> {
  return (value) => (value === null ? undefined : read(value))
}

/** Returns the list of the columns for a statement: their names in the database. */
export function columnList(columns: Columns, table?: string): string {
  const prefix = table === undefined ? '' : `${table}.`
  return Object.keys(columns)
    .map((name) => prefix + name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    .join(', ')
}

/** Reads rows. The statement must have exactly these columns. */
export function readRows<Of extends Columns>(
  rows: readonly (readonly unknown[])[],
  columns: Of,
): RowOf<Of>[] {
  const names = Object.keys(columns)
  return rows.map((row) => toRow(row, names, columns))
}

export function readRow<Of extends Columns>(row: readonly unknown[], columns: Of): RowOf<Of> {
  return toRow(row, Object.keys(columns), columns)
}

function toRow<Of extends Columns>(
  row: readonly unknown[],
  names: readonly string[],
  columns: Of,
): RowOf<Of> {
  if (row.length !== names.length) {
    throw new Error(`a statement has ${row.length} columns, its reader ${names.join(', ')}`)
  }
  const read: Record<string, unknown> = {}
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] as string
    read[name] = columns[name]?.(row[at])
  }
  return read as RowOf<Of>
}

function unexpected(expected: string, value: unknown): Error {
  const found = value === null ? 'NULL' : typeof value
  return new Error(`the database returned ${found} instead of ${expected}`)
}
