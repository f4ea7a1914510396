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
import { findPlaces, type Place } from '../import/places.ts'
import { isAbsent } from '../import/row-parts.ts'
import type { ColumnGuess, Findings } from './findings.ts'
import { type InferredType, inferType } from './infer-type.ts'
import { keyCandidates } from './key-candidates.ts'
import { TRAIT } from './traits.ts'
import { emptyGuess, isSettled, learn, scalarTypeOf } from './value-guess.ts'

/** Looks at the rows of files, as many as there are, and guesses the type of their objects. */
export interface Inferrer {
  add(rows: readonly ReadRow[], kind: CellKind): void
  /** What was found, as an object type of that name. */
  finish(apiName: string, displayName?: string): InferredType
}

/** What the caller says about the columns holds; the rest is guessed. */
export function inferrer(wishes: ColumnOptions = {}): Inferrer {
  const columns = new Map<string, ColumnGuess>()
  const keys = keyCandidates()
  const tooMany = new Set<string>()
  const halfPlaces = new Set<string>()
  let places: Place[] = []
  let rows = 0
  let unreadable = 0

  function startColumns(names: readonly string[]): void {
    let newPlace = false
    for (const name of names) {
      if (columns.has(name) || wishes.ignore?.has(name)) continue
      // One property more may be needed for the number of the row.
      if (columns.size >= PROPERTIES_MAX - 1) {
        if (tooMany.size < PROPERTIES_MAX) tooMany.add(name)
        continue
      }
      columns.set(name, emptyColumn(name))
      keys.start(name)
      newPlace ||= /lat|lon|lng/i.test(name)
    }
    if (newPlace) places = findPlaces([...columns.keys()])
  }

  function seeRow(row: Row, kind: CellKind): void {
    const names = Object.keys(row.cells)
    startColumns(names)
    for (const name of names) {
      const column = columns.get(name)
      const value = row.cells[name]
      if (column === undefined || isAbsent(value, kind)) continue
      column.filled += 1
      seeValue(column, value, kind, row.line)
      keys.see(name, value)
    }
    keys.endRow()
    for (const place of places) {
      const { latitude, longitude } = place
      if (isAbsent(row.cells[latitude], kind) !== isAbsent(row.cells[longitude], kind)) {
        halfPlaces.add(latitude)
      }
    }
    rows += 1
  }

  return {
    add(batch, kind) {
      for (const row of batch) {
        if (isUnreadable(row)) unreadable += 1
        else seeRow(row, kindOfRow(row, kind))
      }
    },
    finish(apiName, displayName) {
      if (rows === 0) throw new Error(nothingSeen(unreadable))
      const findings: Findings = {
        rows,
        unreadable,
        columns: [...columns.values()],
        places: places.filter(({ latitude }) => !halfPlaces.has(latitude)),
        keys: keys.ranked(),
        tooMany: [...tooMany],
      }
      return inferType(findings, { apiName, displayName, wishes })
    },
  }
}

function nothingSeen(unreadable: number): string {
  return unreadable === 0
    ? 'there is no row to guess a type from'
    : `there is no row to guess a type from: none of ${unreadable} could be read`
}

function emptyColumn(name: string): ColumnGuess {
  const counts = { filled: 0, unstorable: 0, furthest: 0 }
  return { name, ...counts, guess: emptyGuess(), odd: undefined, unsafe: false }
}

function seeValue(column: ColumnGuess, value: unknown, kind: CellKind, line: number): void {
  const { guess } = column
  if (!isSettled(guess)) {
    const before = guess.traits
    learn(guess, value, kind)
    if (guess.traits !== before && scalarTypeOf(guess.traits) === 'string') {
      // The value that spoils a narrower type is worth telling.
      const otherwise = scalarTypeOf(before)
      if (otherwise !== 'string') column.odd = { line, excerpt: excerptOf(value), otherwise }
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
  // NaN is no place on a map either.
  if (!(distance <= column.furthest)) column.furthest = Number.isNaN(distance) ? Infinity : distance
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    column.unsafe = true
  }
}
