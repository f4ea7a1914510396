/** Infers the object type of rows, in one pass over any number of them. */
import { PROPERTIES_MAX } from '../../contract/limits.ts'
import {
  type CellKind,
  excerptOf,
  isUnreadable,
  kindOfRow,
  type ReadRow,
  type Row,
} from '../../formats/row.ts'
import type { ColumnOptions } from '../import/column-plan.ts'
import { findGeopointColumns, type GeopointColumns } from '../import/geopoint-columns.ts'
import { isAbsent } from '../import/property-readers.ts'
import type { ColumnGuess, Findings } from './findings.ts'
import { type InferredType, inferType } from './infer-type.ts'
import { keyCandidates } from './key-candidates.ts'
import { TRAIT } from './traits.ts'
import { emptyGuess, isSettled, learn, scalarTypeOf } from './value-guess.ts'

export interface Inferrer {
  add(rows: readonly ReadRow[], kind: CellKind): void
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
  let rows = 0
  let unreadable = 0

  function startColumns(names: readonly string[]): void {
    let mayHaveNewPair = false
    for (const name of names) {
      if (columns.has(name) || columnOptions.ignore?.has(name)) continue
      // One property is reserved for the row number.
      if (columns.size >= PROPERTIES_MAX - 1) {
        if (excessColumns.size < PROPERTIES_MAX) excessColumns.add(name)
        continue
      }
      columns.set(name, emptyColumn(name))
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
      const value = row.cells[name]
      if (column === undefined || isAbsent(value, kind)) continue
      column.filled += 1
      addValue(column, value, kind, row.line)
      keys.add(name, value)
    }
    keys.endRow()
    for (const { latitude, longitude } of pairs) {
      if (isAbsent(row.cells[latitude], kind) !== isAbsent(row.cells[longitude], kind)) {
        incompletePairs.add(latitude)
      }
    }
    rows += 1
  }

  return {
    add(batch, kind) {
      for (const row of batch) {
        if (isUnreadable(row)) unreadable += 1
        else addRow(row, kindOfRow(row, kind))
      }
    },
    finish(apiName, displayName) {
      if (rows === 0) throw new Error(describeNoRows(unreadable))
      const findings: Findings = {
        rows,
        unreadable,
        columns: [...columns.values()],
        geopoints: pairs.filter(({ latitude }) => !incompletePairs.has(latitude)),
        keys: keys.ranked(),
        excessColumns: [...excessColumns],
      }
      return inferType(findings, { apiName, displayName, columnOptions })
    },
  }
}

function describeNoRows(unreadable: number): string {
  return unreadable === 0
    ? 'cannot infer a type: the data has no rows'
    : `cannot infer a type: none of the ${unreadable} rows could be read. Check --format.`
}

function emptyColumn(name: string): ColumnGuess {
  const counts = { filled: 0, unstorable: 0, maxMagnitude: 0 }
  return { name, ...counts, guess: emptyGuess(), outlier: undefined, hasUnsafeIntegers: false }
}

function addValue(column: ColumnGuess, value: unknown, kind: CellKind, line: number): void {
  const { guess } = column
  if (!isSettled(guess)) {
    const before = guess.traits
    learn(guess, value, kind)
    if (guess.traits !== before && scalarTypeOf(guess.traits) === 'string') {
      // A single value that rules out a narrower type is reported to the user.
      const otherwise = scalarTypeOf(before)
      if (otherwise !== 'string') column.outlier = { line, excerpt: excerptOf(value), otherwise }
    }
    if (typeof value === 'number' || (guess.traits & NUMBERS) !== 0) measure(column, value)
  }
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    column.unstorable += 1
  }
}

const NUMBERS = TRAIT.integer | TRAIT.fraction | TRAIT.floating | TRAIT.notFinite

function measure(column: ColumnGuess, value: unknown): void {
  const distance = Math.abs(Number(value))
  // NaN is not a coordinate either.
  if (!(distance <= column.maxMagnitude))
    column.maxMagnitude = Number.isNaN(distance) ? Infinity : distance
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    column.hasUnsafeIntegers = true
  }
}
