import { propertyNameOf } from '../import/column-names.ts'
import type { Coordinates, Place } from '../import/places.ts'
import { KEY_ROWS_CHECKED } from './key-candidates.ts'
import { isKeptAsJson, typeOf, type ValueGuess } from './value-guess.ts'

/** What the rows of a file told about one column. */
export interface ColumnGuess {
  readonly name: string
  /** Rows that have a value. */
  filled: number
  readonly guess: ValueGuess
  /** The value that made text of numbers or dates. */
  odd: OddValue | undefined
  /** Values that no store keeps. */
  unstorable: number
  /** The largest distance of a number from zero. */
  furthest: number
  /** Whether digits of a whole number were lost before it came here. */
  unsafe: boolean
}

export interface OddValue {
  readonly line: number
  readonly excerpt: string
  /** The type without it. */
  readonly otherwise: string
}

/** What all rows together told. */
export interface Findings {
  readonly rows: number
  readonly unreadable: number
  readonly columns: readonly ColumnGuess[]
  /** Latitudes and longitudes that are there together or not at all. */
  readonly places: readonly Place[]
  /** Columns that may be the key, the likeliest first. */
  readonly keys: readonly string[]
  /** Columns beyond what a type can have. */
  readonly tooMany: readonly string[]
}

/** What was made of the findings. */
export interface Conclusions {
  readonly findings: Findings
  readonly candidates: readonly string[]
  readonly primaryKey: string
  readonly rowNumber: string | undefined
  readonly geopoints: ReadonlyMap<string, Coordinates>
  readonly propertyOf: ReadonlyMap<string, string>
}

const LISTED = 10

/** The notes for people: what was guessed, and what will not fit. */
export function notesOf(conclusions: Conclusions): string[] {
  const { findings, geopoints, propertyOf } = conclusions
  const { rows, unreadable, columns, tooMany } = findings
  return [
    `${count(rows, 'row')} and ${count(columns.length, 'column')} were looked at`,
    ...(unreadable === 0 ? [] : [`${count(unreadable, 'row')} could not be read`]),
    ...keyNotes(conclusions),
    ...[...geopoints].map(
      ([name, { latitude, longitude }]) =>
        `${name}: a geopoint made from the columns ${latitude} and ${longitude}`,
    ),
    ...columns.flatMap((column) => columnNotes(column, propertyOf.get(column.name))),
    ...(tooMany.length === 0
      ? []
      : [`left out, because a type has no room for more properties: ${listed(tooMany)}`]),
  ]
}

function keyNotes(conclusions: Conclusions): string[] {
  const { findings, candidates, primaryKey, rowNumber, propertyOf } = conclusions
  const others = candidates
    .map((column) => propertyOf.get(column) ?? column)
    .filter((name) => name !== primaryKey)
  const key =
    rowNumber === undefined
      ? primaryKey
      : `${rowNumber}, the number of the row, because no column is sure to tell rows apart`
  const rest =
    others.length === 0 ? 'no other column could be it' : `possible too: ${listed(others)}`
  const trusted =
    candidates.length > 0 && findings.rows > KEY_ROWS_CHECKED
      ? [`keys were compared in the first ${KEY_ROWS_CHECKED} rows only`]
      : []
  return [`primary key: ${key}; ${rest}`, ...trusted]
}

function columnNotes(column: ColumnGuess, property: string | undefined): string[] {
  const notes: string[] = []
  if (property === undefined) return notes
  const { guess, odd } = column
  const type = typeOf(guess).type
  const say = (text: string) => notes.push(`${property}: ${text}`)
  if (property !== propertyNameOf(column.name)) {
    say(`the column ${JSON.stringify(column.name)}, because another one has its name`)
  }
  if (column.filled === 0) say('always empty, so it is taken for a string')
  if (isKeptAsJson(guess)) {
    say('a string with JSON text, because no property type holds its values')
  } else if (odd !== undefined && type === 'string') {
    say(
      `a string because of ${JSON.stringify(odd.excerpt)} in line ${odd.line}, else ${odd.otherwise}`,
    )
  }
  if (type === 'array' && guess.items?.traits === 0) say('only empty arrays, taken for strings')
  if (column.unsafe) say('has numbers beyond 2^53, of which JSON keeps only the first digits')
  if (column.unstorable > 0) {
    const hold = column.unstorable === 1 ? 'holds' : 'hold'
    say(
      `${count(column.unstorable, 'value')} ${hold} U+0000 or half a character and will be refused`,
    )
  }
  return notes
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, LISTED).join(', ')
  return names.length > LISTED ? `${shown} and ${names.length - LISTED} more` : shown
}
