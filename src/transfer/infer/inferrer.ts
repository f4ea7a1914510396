/** Infers the object type of rows, in one pass over any number of them. */

import { countOf } from '../../contract/count-of.ts'
import { PROPERTIES_MAX } from '../../contract/limits.ts'
import { RemediableError, type Remedy } from '../../formats/remedy.ts'
import {
  type CellKind,
  columnsOf,
  type DeclaredType,
  isSameList,
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
import {
  hasDecimalPoint,
  readDate,
  readDecimalComma,
  type TextStyle,
} from '../columns/text-style.ts'
import { addValue } from './add-value.ts'
import { TRAIT } from './classify.ts'
import type { ColumnGuess, Findings } from './findings.ts'
import { type InferredType, inferType } from './infer-type.ts'
import { keyCandidates } from './key-candidates.ts'
import { StyleGuess } from './style-guess.ts'
import { emptyGuess } from './value-guess.ts'

export interface Inferrer {
  /** Starts the rows of a file; without it, all rows are those of one. */
  startFile(name: string): void
  /** Adds rows, and the types that their file declares for the columns. */
  add(rows: readonly ReadRow[], kind: CellKind, types?: ReadonlyMap<string, DeclaredType>): void
  /** Returns the inferred object type. */
  finish(apiName: string, displayName?: string): InferredType
}

/** Creates an inferrer; explicit column options take precedence over what is inferred. */
export function inferrer(
  columnOptions: ColumnOptions = {},
  /** Whether columns that are almost keys need not be found. */
  { hasKey = false }: { readonly hasKey?: boolean } = {},
): Inferrer {
  const columns = new Map<string, ColumnGuess>()
  const keys = keyCandidates(hasKey)
  /** The columns of the last row, of which most rows have the same. */
  let rowNames: readonly string[] = []
  let rowColumns: readonly (ColumnGuess | undefined)[] = []
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
    const names = columnsOf(row)
    const values = row.table?.values
    if (!isSameList(names, rowNames)) {
      startColumns(names)
      rowNames = names
      rowColumns = names.map((name) => columns.get(name))
    }
    for (let at = 0; at < names.length; at += 1) {
      const column = rowColumns[at]
      if (column === undefined) continue
      const cell = values === undefined ? row.cells[column.name] : values[at]
      const value = plain === undefined ? cell : plain(cell, kind)
      if (column.file !== file) continueInFile(column)
      if (isAbsent(value, kind)) continue
      column.filled += 1
      // The texts of JSON are not parsed as numbers.
      addValue(column, value, isNoNumber(cell, kind) ? 'json' : kind, row.line)
      column.mayBeKey &&= keys.add(column.name, value)
    }
    keys.endRow()
    for (const { latitude, longitude } of pairs) {
      const [hasLatitude, hasLongitude] = [latitude, longitude].map(
        (name) => !isAbsent(plainCell(row, name, kind), kind),
      )
      if (hasLatitude !== hasLongitude) incompletePairs.add(latitude)
    }
    rows += 1
  }

  function plainCell(row: Row, name: string, kind: CellKind): unknown {
    const cell = ownValue(row.cells, name)
    return plain === undefined ? cell : plain(cell, kind)
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
    mayBeKey: true,
  }
}

function isSameDeclared(a: DeclaredType | undefined, b: DeclaredType | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  if (a.type === 'array') return b.type === 'array' && isSameDeclared(a.items, b.items)
  if (a.type !== 'struct') return a.type === b.type
  if (b.type !== 'struct' || a.fields.size !== b.fields.size) return false
  return [...a.fields].every(([name, field]) => isSameDeclared(field, b.fields.get(name)))
}

/** Returns a function that rewrites texts of an explicit style as plain texts; undefined without one. */
function plainReader({
  numbers,
  dateFormats = [],
  nulls = [],
}: TextStyle = {}): ((value: unknown, kind: CellKind) => unknown) | undefined {
  // Any number can be an epoch, so only a column with an explicit type is one.
  const formats = dateFormats
    .filter((format) => !format.startsWith('epoch'))
    .flatMap((format) => compileDateFormat(format) ?? [])
  if (numbers === undefined && formats.length === 0 && nulls.length === 0) return undefined
  return (value, kind) => {
    if (typeof value !== 'string') return value
    const text = value.trim()
    if (nulls.includes(text)) return undefined
    const number = kind === 'text' && numbers !== undefined ? readDecimalComma(text) : undefined
    return number ?? readDate(text, formats) ?? value
  }
}
