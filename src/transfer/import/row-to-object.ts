import {
  type CellKind,
  excerptOf,
  isUnreadable,
  kindOfRow,
  type ReadRow,
  type Row,
} from '../../formats/row.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'
import {
  type ColumnOptions,
  type ColumnPlan,
  checkColumnOptions,
  checkNamedColumns,
  planColumns,
  UnfitColumns,
} from './column-plan.ts'
import { cellOf, checkKey, keyPart, nameText, type Part, partsOf } from './row-parts.ts'

/** Turns the rows of files into what the service takes. */

export interface RowObject {
  /** The properties as JSON text. */
  readonly json: string
  /** The primary key as canonical JSON text: the same for all rows of one object. */
  readonly key: string
}

/** Why a row is no object. */
export interface RefusedRow {
  readonly reason: string
  /** The beginning of the value that does not fit; empty where none is to blame. */
  readonly excerpt: string
  readonly column?: string
  /** With the place inside it, such as `names[3].text`. */
  readonly property?: string
}

export function isRefused(result: RowObject | RefusedRow): result is RefusedRow {
  return 'reason' in result
}

/**
 * Reads one row, of whatever kind its file is. Where a file has the same columns in every row, it
 * throws `UnfitColumns` at the first if they do not fit the type.
 */
export type RowReader = (row: ReadRow, kind: CellKind) => RowObject | RefusedRow

/** Reads the cells of rows that have the same columns. */
type CellsReader = (row: Row, number: number) => RowObject | RefusedRow

/** Rows of JSON may each have other columns; so many combinations are remembered. */
const KNOWN_SHAPES = 1000

export function rowReader(type: ObjectType, options: ColumnOptions = {}): RowReader {
  checkColumnOptions(type, options)
  const readers = new Map<string, CellsReader>()
  let rowNumber = 0
  let lastColumns: readonly string[] = []
  let lastKind: CellKind | undefined
  let lastReader: CellsReader | undefined

  function readerOf(columns: readonly string[], kind: CellKind, ofFile: CellKind): CellsReader {
    if (lastReader !== undefined && kind === lastKind && sameNames(columns, lastColumns)) {
      return lastReader
    }
    const shape = JSON.stringify([kind, columns])
    let reader = readers.get(shape)
    if (reader === undefined) {
      // Each row of JSON may have other columns.
      if (ofFile !== 'json') checkNamedColumns(columns, options)
      reader = cellsReader(type, planColumns(type, columns, options), kind, options)
      if (readers.size >= KNOWN_SHAPES) readers.clear()
      readers.set(shape, reader)
    }
    lastColumns = columns
    lastKind = kind
    lastReader = reader
    return reader
  }

  return (row, kind) => {
    rowNumber += 1
    if (isUnreadable(row)) return { reason: row.reason, excerpt: row.excerpt }
    try {
      const columns = Object.keys(row.cells)
      return readerOf(columns, kindOfRow(row, kind), kind)(row, rowNumber)
    } catch (error) {
      // The next row of JSON may have other columns; those of other files are the same in each.
      if (!(error instanceof UnfitColumns) || kind !== 'json') throw error
      const [column] = error.columns
      return { reason: error.message, excerpt: '', ...(column === undefined ? {} : { column }) }
    }
  }
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false
  return true
}

function cellsReader(
  type: ObjectType,
  plan: ColumnPlan,
  kind: CellKind,
  options: ColumnOptions,
): CellsReader {
  const key = keyPart(type, plan, kind, options)
  const others = partsOf(type, plan, kind, options).filter((part) => part.property !== key.property)
  const keyStart = `{${nameText(key.property)}`
  const fits = kind === 'json' ? asItIs(type, plan, options) : undefined

  return (row, number) => {
    let part = key
    try {
      const keyText = checkKey(key.read(row.cells, number))
      if (fits !== undefined && isOneLine(row.json) && fits(row.cells)) {
        return { json: row.json, key: keyText }
      }
      let json = keyStart + keyText
      for (part of others) {
        const text = part.read(row.cells, number)
        if (text !== '') json += `,${text}`
      }
      return { json: `${json}}`, key: keyText }
    } catch (error) {
      if (error instanceof RefusedValue) return refusal(error, part, row)
      // JSON is read at any depth, but not written.
      if (!(error instanceof RangeError)) throw error
      return { reason: 'is nested too deeply', excerpt: '', property: part.property }
    }
  }
}

/** A change is one line of its batch; a file may have broken its records into several. */
function isOneLine(json: string | undefined): json is string {
  return json !== undefined && !json.includes('\n')
}

function refusal(error: RefusedValue, { property, column }: Part, { cells }: Row): RefusedRow {
  return {
    reason: error.reason,
    excerpt: column === undefined ? '' : excerptOf(cells[column]),
    property: property + error.path,
    ...(column === undefined ? {} : { column }),
  }
}

/** Whether a row of JSON can be sent as it stands: nothing renamed, added, left out or changed. */
function asItIs(
  type: ObjectType,
  plan: ColumnPlan,
  options: ColumnOptions,
): ((cells: Row['cells']) => boolean) | undefined {
  if (options.rowNumber !== undefined || plan.places.size > 0) return undefined
  if (plan.ignores || [...plan.columns].some(([column, property]) => column !== property)) {
    return undefined
  }
  const checks = [...plan.columns.keys()].flatMap((column) => {
    const { fits } = cellOf(type, column)
    return fits === undefined ? [] : [{ column, fits }]
  })
  return (cells) => {
    for (const { column, fits } of checks) {
      const value = cells[column]
      if (value !== null && !fits(value)) return false
    }
    return true
  }
}
