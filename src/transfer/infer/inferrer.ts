/** Infers the object type of rows, in one pass over any number of them. */

import { countOf } from '../../contract/count-of.ts'
import { PROPERTIES_MAX } from '../../contract/limits.ts'
import { RemediableError, type Remedy } from '../../formats/remedy.ts'
import {
  type CellKind,
  type DeclaredType,
  excerptOf,
  isUnreadable,
  kindOfRow,
  ownValue,
  type ReadRow,
  type Row,
} from '../../formats/row.ts'
import type { ColumnOptions } from '../columns/column-plan.ts'
import { compileDateFormat } from '../columns/date-format.ts'
import { findGeopointColumns, type GeopointColumns } from '../columns/geopoint-columns.ts'
import { isAbsent } from '../columns/property-readers.ts'
import { exceedsDouble } from '../columns/read-cell.ts'
import {
  hasDecimalPoint,
  NULL_TEXTS,
  readDate,
  readDecimalComma,
  type TextStyle,
} from '../columns/text-style.ts'
import { TRAIT, traitsOf } from './classify.ts'
import type { ColumnGuess, Findings } from './findings.ts'
import { type InferredType, inferType } from './infer-type.ts'
import { keyCandidates } from './key-candidates.ts'
import { StyleGuess } from './style-guess.ts'
import { emptyGuess, isSettled, learn, scalarTypeOf } from './value-guess.ts'

export interface Inferrer {
  /** Starts the rows of a file; without it, all rows are those of one. */
  startFile(name: string): void
  /** Adds rows, and the types that their file declares for the columns. */
  add(rows: readonly ReadRow[], kind: CellKind, types?: ReadonlyMap<string, DeclaredType>): void
  /** Returns the inferred object type. */
  finish(apiName: string, displayName?: string): InferredType
}

/** Creates an inferrer; explicit column options take precedence over what is inferred. */
export function inferrer(columnOptions: ColumnOptions = {}): Inferrer {
  const columns = new Map<string, ColumnGuess>()
  const keys = keyCandidates()
  const excessColumns = new Set<string>()
  const incompletePairs = new Set<string>()
  let pairs: GeopointColumns[] = []
  const plain = plainReader(columnOptions.texts)
  const hasCommas = columnOptions.texts?.numbers === 'decimal comma'
  const isNoNumber = (value: unknown, kind: CellKind) =>
    hasCommas && kind === 'text' && typeof value === 'string' && hasDecimalPoint(value.trim())
  let rows = 0
  let unreadable = 0
  let remedy: Remedy | undefined
  let types: ReadonlyMap<string, DeclaredType> | undefined
  let file = 0
  const files = new Set<string>()
  let fileName: string | undefined

  function startColumns(names: readonly string[]): void {
    let mayHaveNewPair = false
    for (const name of names) {
      if (columns.has(name) || columnOptions.ignore?.has(name)) continue
      // One property is reserved for the row number.
      if (columns.size >= PROPERTIES_MAX - 1) {
        if (excessColumns.size < PROPERTIES_MAX) excessColumns.add(name)
        continue
      }
      columns.set(name, emptyColumn(name, types?.get(name), { file, fileName }))
      keys.start(name)
      mayHaveNewPair ||= /lat|lon|lng/i.test(name)
    }
    if (mayHaveNewPair) pairs = findGeopointColumns([...columns.keys()])
  }

  function addRow(row: Row, kind: CellKind): void {
    const names = Object.keys(row.cells)
    startColumns(names)
    for (const name of names) {
      const column = columns.get(name)
      const value = plain(row.cells[name], kind)
      if (column === undefined) continue
      if (column.file !== file) continueInFile(column)
      if (isAbsent(value, kind)) continue
      column.filled += 1
      // The texts of JSON are not parsed as numbers.
      addValue(column, value, isNoNumber(row.cells[name], kind) ? 'json' : kind, row.line)
      keys.add(name, value)
    }
    keys.endRow()
    for (const { latitude, longitude } of pairs) {
      const [hasLatitude, hasLongitude] = [latitude, longitude].map(
        (name) => !isAbsent(plain(ownValue(row.cells, name), kind), kind),
      )
      if (hasLatitude !== hasLongitude) incompletePairs.add(latitude)
    }
    rows += 1
  }

  /** Files may declare different types for a column; its values decide then. */
  function continueInFile(column: ColumnGuess): void {
    column.file = file
    if (fileName !== undefined) column.files.add(fileName)
    if (!isSameDeclared(column.declared, types?.get(column.name))) column.declared = undefined
  }

  return {
    startFile(name) {
      file += 1
      fileName = name
      files.add(name)
    },
    add(batch, kind, declared) {
      if (declared !== types) {
        types = declared
        file += 1
      }
      for (const row of batch) {
        if (isUnreadable(row)) {
          unreadable += 1
          remedy ??= row.remedy
        } else addRow(row, kindOfRow(row, kind))
      }
    },
    finish(apiName, displayName) {
      if (rows === 0) throw noRows(unreadable, remedy)
      refuseUnrelatedFiles([...files], [...columns.values()])
      const findings: Findings = {
        rows,
        unreadable,
        remedy,
        columns: [...columns.values()],
        geopoints: pairs.filter(({ latitude }) => !incompletePairs.has(latitude)),
        keys: keys.ranked(),
        nearKeys: keys.nearKeys(),
        files: [...files],
        excessColumns: [...excessColumns],
      }
      return inferType(findings, { apiName, displayName, columnOptions })
    },
  }
}

/** Throws if a file has no column of any other one: a mistake, which would make one type of two. */
function refuseUnrelatedFiles(files: readonly string[], columns: readonly ColumnGuess[]): void {
  if (files.length < 2) return
  const others = columns.filter(({ files: { size } }) => size > 1)
  const unrelated = files.find((file) => {
    const isRead = columns.some((column) => column.files.has(file))
    return isRead && !others.some((column) => column.files.has(file))
  })
  if (unrelated === undefined) return
  throw new RemediableError(
    `${unrelated} has no column in common with the other files. Import it as a type of its own.`,
  )
}

function noRows(unreadable: number, remedy: Remedy = { do: 'checkFormat' }): RemediableError {
  return unreadable === 0
    ? new RemediableError('cannot infer a type: the data has no rows')
    : new RemediableError(
        `cannot infer a type: none of ${countOf(unreadable, 'row')} could be read`,
        { remedy },
      )
}

function emptyColumn(
  name: string,
  declared: DeclaredType | undefined,
  { file, fileName }: { readonly file: number; readonly fileName: string | undefined },
): ColumnGuess {
  const guess = emptyGuess()
  // The texts of a declared string are not inspected.
  if (declared?.type === 'string') guess.traits = TRAIT.text
  return {
    name,
    filled: 0,
    unstorable: 0,
    maxMagnitude: 0,
    guess,
    styles: new StyleGuess(),
    nulls: new Set(),
    nullsInText: new Set(),
    hasShortCodes: false,
    declared,
    file,
    files: new Set(fileName === undefined ? [] : [fileName]),
    outlier: undefined,
    exceedsDouble: false,
    hasUnsafeIntegers: false,
  }
}

function isSameDeclared(a: DeclaredType | undefined, b: DeclaredType | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  if (a.type === 'array') return b.type === 'array' && isSameDeclared(a.items, b.items)
  if (a.type !== 'struct') return a.type === b.type
  if (b.type !== 'struct' || a.fields.size !== b.fields.size) return false
  return [...a.fields].every(([name, field]) => isSameDeclared(field, b.fields.get(name)))
}

/** Returns a function that rewrites texts of an explicit style as plain texts. */
function plainReader({
  numbers,
  dateFormats = [],
  nulls = [],
}: TextStyle = {}): (value: unknown, kind: CellKind) => unknown {
  // Any number can be an epoch, so only a column with an explicit type is one.
  const formats = dateFormats
    .filter((format) => !format.startsWith('epoch'))
    .flatMap((format) => compileDateFormat(format) ?? [])
  if (numbers === undefined && formats.length === 0 && nulls.length === 0) return (value) => value
  return (value, kind) => {
    if (typeof value !== 'string') return value
    const text = value.trim()
    if (nulls.includes(text)) return undefined
    const number = kind === 'text' && numbers !== undefined ? readDecimalComma(text) : undefined
    return number ?? readDate(text, formats) ?? value
  }
}

function addValue(column: ColumnGuess, value: unknown, kind: CellKind, line: number): void {
  const { guess, styles } = column
  if (typeof value === 'string' && NULL_TEXTS.has(value)) {
    column.nulls.add(value)
    // Only text files have no other way to write a missing text.
    if (kind === 'text' && value !== 'None') column.nullsInText.add(value)
    return
  }
  column.hasShortCodes ||= typeof value === 'string' && value.length === 2 && CODE.test(value)
  const mayHaveStyle = column.declared === undefined
  if (!isSettled(guess)) {
    const before = guess.traits
    const traits = learn(guess, value, kind)
    if (typeof value !== 'string') styles.exclude()
    else if (mayHaveStyle && !styles.isSettled) styles.add(value, traits, kind)
    if (guess.traits !== before && scalarTypeOf(guess.traits) === 'string') {
      // A single value that rules out a narrower type is reported to the user.
      const otherwise = scalarTypeOf(before)
      if (otherwise !== 'string') column.outlier = { line, excerpt: excerptOf(value), otherwise }
    }
    if (typeof value === 'number' || (guess.traits & NUMBERS) !== 0) measure(column, value)
  } else if (typeof value !== 'string') styles.exclude()
  else if (mayHaveStyle && !styles.isSettled) styles.add(value, traitsOf(value, kind), kind)
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    column.unstorable += 1
  }
}

/** Codes of countries, continents and states: `NA` is Namibia or North America among them. */
const CODE = /^[A-Z]{2}$/

const NUMBERS =
  TRAIT.integer |
  TRAIT.long |
  TRAIT.wide |
  TRAIT.fraction |
  TRAIT.scaled |
  TRAIT.floating |
  TRAIT.notFinite |
  TRAIT.decimal

function measure(column: ColumnGuess, value: unknown): void {
  const distance = Math.abs(Number(value))
  // NaN is not a coordinate either.
  if (!(distance <= column.maxMagnitude))
    column.maxMagnitude = Number.isNaN(distance) ? Infinity : distance
  if (distance <= Number.MAX_SAFE_INTEGER) return
  if (typeof value !== 'number') column.exceedsDouble ||= exceedsDouble(String(value).trim())
  else if (Number.isInteger(value)) column.hasUnsafeIntegers = true
}
