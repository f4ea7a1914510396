/** The findings about the rows of a file, and the notes about them for the user. */

import { countOf, formatCount } from '../../contract/count-of.ts'
import type { Note, Remedy } from '../../formats/remedy.ts'
import { type DeclaredType, excerptOf } from '../../formats/row.ts'
import type {
  FieldDefinition,
  PropertyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import { propertyNameOf } from '../columns/column-names.ts'
import type { CoordinateColumns, GeopointColumns } from '../columns/geopoint-columns.ts'
import type { TextStyle } from '../columns/text-style.ts'
import { identifiesRows, isNeverKey, KEY_ROWS_CHECKED, type NearKey } from './key-candidates.ts'
import type { StyleGuess } from './style-guess.ts'
import { fieldsKeptAsJson, isKeptAsJson, type ValueGuess } from './value-guess.ts'

/** The findings about one column. */
export interface ColumnGuess {
  readonly name: string
  /** The number of rows that have a value. */
  filled: number
  readonly guess: ValueGuess
  /** How its texts may be written. */
  readonly styles: StyleGuess
  /** Its texts that usually stand for a missing value. */
  readonly nulls: Set<string>
  /** Those that stand for a missing value in a column of texts, too. */
  readonly nullsInText: Set<string>
  /** Whether a value is two capital letters. */
  hasShortCodes: boolean
  /** The type that every file with this column declares; undefined if they do not agree. */
  declared: DeclaredType | undefined
  /** The number of the last file that has the column. */
  file: number
  /** The names of the files that have it, if they are known. */
  readonly files: Set<string>
  /** The first value that only a string can hold, in a column with another type until then. */
  outlier: Outlier | undefined
  /** The number of values that cannot be stored. */
  unstorable: number
  /** The largest absolute value of a number. */
  maxMagnitude: number
  /** Whether an integer has more digits than a double preserves. */
  exceedsDouble: boolean
  /** Whether an integer lost digits when its JSON was parsed. */
  hasUnsafeIntegers: boolean
  /** Whether it is a candidate for the primary key, or almost one. */
  mayBeKey: boolean
}

/** The type of a column. */
export interface ColumnType {
  readonly definition: PropertyDefinition
  /** How the texts are read, if they are not plain. */
  readonly style?: TextStyle
  /** What the user should know, without the name of the property. */
  readonly note?: Note
}

interface Outlier {
  readonly line: number
  readonly excerpt: string
  /** The type that the column would have without this value. */
  readonly otherwise: string
}

/** The findings about all rows. */
export interface Findings {
  readonly rows: number
  readonly unreadable: number
  /** What to do about the first unreadable row. */
  readonly remedy: Remedy | undefined
  readonly columns: readonly ColumnGuess[]
  /** Pairs of columns that are both filled or both empty in every row. */
  readonly geopoints: readonly GeopointColumns[]
  /** Candidates for the primary key, the most likely first. */
  readonly keys: readonly string[]
  /** Columns that are almost one. */
  readonly nearKeys: readonly NearKey[]
  /** Columns beyond the maximum number of properties. */
  readonly excessColumns: readonly string[]
  /** The names of the files, if they are known. */
  readonly files: readonly string[]
}

/** What was inferred from the findings. */
export interface Conclusions {
  readonly findings: Findings
  readonly candidates: readonly string[]
  readonly primaryKey: string
  readonly rowNumber: string | undefined
  readonly geopoints: ReadonlyMap<string, CoordinateColumns>
  readonly propertyOf: ReadonlyMap<string, string>
  readonly types: ReadonlyMap<string, ColumnType>
  /** Whether the primary key was given. */
  readonly isKeyGiven: boolean
}

const MAX_LISTED = 10

/** Returns the notes for the user: what was inferred, and which values will be rejected. */
export function notesOf(conclusions: Conclusions): Note[] {
  const { findings, geopoints, propertyOf, types } = conclusions
  const { rows, unreadable, remedy, columns, excessColumns } = findings
  const unread = { text: `${countOf(unreadable, 'row')} could not be read` }
  const text = (line: string): Note => ({ text: line })
  return [
    text(`inferred from ${countOf(rows, 'row')} and ${countOf(columns.length, 'column')}`),
    ...(unreadable === 0 ? [] : [{ ...unread, remedies: remedy ? [remedy] : [] }]),
    ...keyNotes(conclusions),
    ...[...geopoints].map(([name, { latitude, longitude }]) =>
      text(`${name}: a geopoint from the columns ${latitude} and ${longitude}`),
    ),
    ...fileNotes(findings).map(text),
    ...columns.flatMap((column) =>
      columnNotes(column, propertyOf.get(column.name), types.get(column.name)),
    ),
    ...(excessColumns.length === 0
      ? []
      : [text(`skipped, because a type cannot have more properties: ${listed(excessColumns)}`)]),
  ]
}

function keyNotes(conclusions: Conclusions): Note[] {
  const { findings, candidates, primaryKey, rowNumber, propertyOf, isKeyGiven } = conclusions
  if (isKeyGiven) return [{ text: `primary key: ${primaryKey}` }]
  const others = candidates
    .filter((column) => !isNeverKey(column))
    .map((column) => propertyOf.get(column) ?? column)
    .filter((name) => name !== primaryKey)
  const key =
    rowNumber === undefined
      ? primaryKey
      : `${rowNumber}, the row number, because no column is certain to be unique`
  const alternatives =
    others.length > 0
      ? `; other candidates: ${listed(others)}`
      : rowNumber === undefined
        ? '; no other column qualifies'
        : ''
  const unchecked =
    candidates.length > 0 && findings.rows > KEY_ROWS_CHECKED
      ? [{ text: `the primary key was checked in the first ${KEY_ROWS_CHECKED} rows only` }]
      : []
  const remedies: Remedy[] = rowNumber === undefined ? [] : [{ do: 'chooseKey' }]
  const near = rowNumber === undefined ? [] : nearKeyNotes(conclusions)
  return [{ text: `primary key: ${key}${alternatives}`, remedies }, ...near, ...unchecked]
}

/** Names the columns that would be the key if a few rows had other values. */
function nearKeyNotes({ findings, propertyOf }: Conclusions): Note[] {
  const { columns, nearKeys } = findings
  const likely = nearKeys.filter(({ column }) =>
    // A number that differs in most rows is a key only by its name or place.
    identifiesRows(column, { isNumber: true, isFirst: column === columns[0]?.name }),
  )
  return likely.slice(0, MAX_LISTED).map(({ column, distinct, rows, repeated }) => {
    const why =
      repeated === undefined
        ? 'some rows have none'
        : `${JSON.stringify(excerptOf(repeated))} is repeated`
    const counts = `${formatCount(distinct)} of ${formatCount(rows)} values are distinct`
    return { text: `${propertyOf.get(column) ?? column}: almost a key: ${counts}; ${why}` }
  })
}

/** Names the columns that only one of several files has. */
function fileNotes({ files, columns }: Findings): string[] {
  if (files.length < 2) return []
  return files.flatMap((file) => {
    const own = columns.filter((column) => column.files.size === 1 && column.files.has(file))
    const names = own.map(({ name }) => name)
    return names.length === 0 ? [] : [`only in ${file}: ${listed(names)}`]
  })
}

function columnNotes(
  column: ColumnGuess,
  property: string | undefined,
  columnType: ColumnType | undefined,
): Note[] {
  const notes: Note[] = []
  if (property === undefined || columnType === undefined) return notes
  const { guess, outlier } = column
  const { type } = columnType.definition
  const note = (text: string, ...remedies: readonly Remedy[]) =>
    notes.push({ text: `${property}: ${text}`, remedies })
  if (property !== propertyNameOf(column.name)) {
    note(`the column ${JSON.stringify(column.name)}, renamed because the name is taken`)
  }
  if (columnType.note) note(columnType.note.text, ...(columnType.note.remedies ?? []))
  if (column.filled === 0 && type === 'string') note('a string, because it is always empty')
  if (type === 'string' && isKeptAsJson(guess)) {
    const reason = 'because no property type can hold its values'
    note(`a string with JSON text, ${reason}`, { do: 'flatten' })
  } else if (columnType.note === undefined && outlier !== undefined && type === 'string') {
    note(
      `a string because of ${JSON.stringify(outlier.excerpt)} in line ${outlier.line}; otherwise ${outlier.otherwise}`,
    )
  }
  if (hasNestedStruct(columnType.definition)) {
    note('has structs inside structs', { do: 'flatten' })
  }
  const jsonFields = type === 'string' ? [] : fieldsKeptAsJson(guess)
  if (jsonFields.length > 0) {
    note(`JSON text in ${listed(jsonFields)}, because no type can hold the values there`)
  }
  if (type === 'array' && guess.items?.traits === 0) {
    note('an array of strings, because all arrays are empty')
  }
  if (column.hasUnsafeIntegers) {
    note('has integers beyond 2^53, which lose digits in JSON; write them as strings')
  }
  if (column.unstorable > 0) {
    const [contain, are] = column.unstorable === 1 ? ['contains', 'is'] : ['contain', 'are']
    note(
      `${countOf(column.unstorable, 'value')} ${contain} U+0000 or an unpaired surrogate and ${are} rejected on import`,
    )
  }
  return notes
}

/** Returns whether a struct has a field that is a struct, or an array of them. */
function hasNestedStruct({ fields, items }: FieldDefinition): boolean {
  const inner = Object.values(fields ?? items?.fields ?? {})
  return inner.some((field) => field.fields !== undefined || field.items?.fields !== undefined)
}

function listed(names: readonly string[]): string {
  const list = names.slice(0, MAX_LISTED).join(', ')
  return names.length > MAX_LISTED ? `${list} and ${names.length - MAX_LISTED} more` : list
}
