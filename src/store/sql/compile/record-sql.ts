/** The SQL that writes the record of a row, as far as the databases agree. */
import {
  OBJECT_ID_LENGTH,
  type RecordColumn,
  type RecordPart,
  type RenamedProperty,
} from '../../../contract/object-record.ts'
import type { Selection } from '../../../query/selection.ts'
import type { RecordSpec } from '../../object-store.ts'

/** Returns the bytes of a row's columns in a record. */
export function storedBytes({ key, title }: { readonly key: string; readonly title: string }) {
  return `octet_length(o.body) + octet_length(${key}) + coalesce(octet_length(${title}), 0)`
}

/** The bytes of a row that has a column for each of them. */
export const STORED_BYTES = storedBytes({ key: 'o.key', title: 'o.title' })

/** How a database writes the parts of a record. Functions add the values of their placeholders. */
export interface RecordDialect {
  readonly columns: Readonly<Record<RecordColumn, string>>
  readonly literal: string
  /** Writes a literal and a column, or nothing if the column is null. */
  readonly optional: (column: string) => string
  /** Writes the selected properties and the closing brace. */
  readonly selected: (selection: readonly string[], values: string[]) => string
  /** Writes properties under other names, each with a comma before it. */
  readonly renamed: (renamed: readonly RenamedProperty[], values: string[]) => string
}

/** Returns the expression of each part of a record, and the values of all placeholders in order. */
export function recordParts(
  { shape, selection }: RecordSpec,
  dialect: RecordDialect,
): { readonly parts: readonly string[]; readonly values: readonly string[] } {
  const values: string[] = []
  return { parts: shape.map((part) => partSql(part, selection, values, dialect)), values }
}

function checkedSql(key: string): string {
  return `concat(o.checksum, ' ', ${OBJECT_ID_LENGTH} + octet_length(${key}), ' ',
    octet_length(o.pk), ' ', octet_length(o.body), ' ', o.object_id, ${key}, o.pk, o.body)`
}

function partSql(
  part: RecordPart,
  selection: Selection,
  values: string[],
  { columns, literal, optional, selected, renamed }: RecordDialect,
): string {
  if ('renamed' in part) return renamed(part.renamed, values)
  if ('isChecked' in part) return checkedSql(columns.key)
  if ('column' in part) {
    const { column } = part
    if (selection !== undefined && column === 'properties') {
      return `'{' || ${selected(selection, values)}`
    }
    return selection !== undefined && column === 'flatProperties'
      ? selected(selection, values)
      : columns[column]
  }
  values.push(part.literal)
  return 'optionalColumn' in part ? optional(columns[part.optionalColumn]) : literal
}
