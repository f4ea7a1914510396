/** What our exports say about their columns in the metadata of Parquet and Arrow. */
import { textDecimals } from './decimal-digits.ts'
import type { TableColumn } from './table-file.ts'

/** The metadata entry in which our exports say what Parquet and Arrow have no type for. */
export const TYPES_KEY = 'oqs.types'
/** The metadata entry that says, by column, what differs from what a reader expects. */
const NOTES_KEY = 'oqs.notes'

export const TEXT_DECIMALS_NOTE = 'text, because a decimal has more than 38 digits'

/** Returns the metadata of a file, by key. */
export function fileMetadata(columns: readonly TableColumn[]): ReadonlyMap<string, string> {
  const notes = textDecimals(columns).map((path) => [path, TEXT_DECIMALS_NOTE])
  const entries: [string, string][] = [[TYPES_KEY, typesText(columns)]]
  if (notes.length > 0) entries.push([NOTES_KEY, JSON.stringify(Object.fromEntries(notes))])
  return new Map(entries)
}

function typesText(columns: readonly TableColumn[]): string {
  const types = columns.map(({ name, type }) => [
    name,
    type.kind === 'scalar' ? type.type : type.kind,
  ])
  return JSON.stringify(Object.fromEntries(types))
}
