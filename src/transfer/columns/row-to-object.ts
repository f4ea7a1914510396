/** Converts rows of files to the JSON of objects. */

import { mayLoseDigits, parseFractions } from '../../formats/json/exact-json.ts'
import type { Remedy } from '../../formats/remedy.ts'
import {
  type CellKind,
  columnsOf,
  excerptOf,
  isSameList,
  isUnreadable,
  kindOfRow,
  type ReadRow,
  type Row,
} from '../../formats/row.ts'
import type { PropertyType } from '../../ontology/definition/property-type.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { isExactDouble } from '../../ontology/values/read-number.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'
import {
  ColumnMismatch,
  type ColumnOptions,
  type ColumnPlan,
  checkColumnOptions,
  checkNamedColumns,
  planColumns,
  styleOf,
} from './column-plan.ts'
import {
  cellOf,
  checkKey,
  keyReader,
  nameText,
  nullCheck,
  type PropertyReader,
  propertyReaders,
} from './property-readers.ts'

export interface RowObject {
  /** The properties as JSON text. */
  readonly json: string
  /** The primary key as canonical JSON text, equal for all rows of one object. */
  readonly key: string
}

/** The reason why a row cannot become an object. */
export interface RejectedRow {
  readonly reason: string
  /** The beginning of the invalid value; empty if the reason is not a value. */
  readonly excerpt: string
  readonly column?: string
  /** With the path into the value, such as `names[3].text`. */
  readonly property?: string
  readonly remedy?: Remedy
}

export function isRejected(result: RowObject | RejectedRow): result is RejectedRow {
  return 'reason' in result
}

/**
 * Reads one row of any kind of file. In a file whose rows all have the same columns, a mismatch
 * with the type throws `ColumnMismatch` at the first row.
 */
export type RowReader = (row: ReadRow, kind: CellKind) => RowObject | RejectedRow

/** Reads the cells of rows that have the same columns. */
type CellsReader = (row: Row, number: number) => RowObject | RejectedRow

/** The number of column combinations whose readers are cached: rows of JSON may differ. */
const MAX_CACHED_SHAPES = 1000

export function rowReader(type: ObjectType, options: ColumnOptions = {}): RowReader {
  checkColumnOptions(type, options)
  const readers = new Map<string, CellsReader>()
  let rowNumber = options.rowsBefore ?? 0
  let lastColumns: readonly string[] = []
  let lastKind: CellKind | undefined
  let isLastTable = false
  let lastReader: CellsReader | undefined

  function readerOf(row: Row, columns: readonly string[], ofFile: CellKind): CellsReader {
    const kind = kindOfRow(row, ofFile)
    const isTable = row.table !== undefined
    const isLast = kind === lastKind && isTable === isLastTable && isSameList(columns, lastColumns)
    if (isLast && lastReader !== undefined) return lastReader
    const shape = JSON.stringify([kind, isTable, columns])
    let reader = readers.get(shape)
    if (reader === undefined) {
      // A row of JSON may lack a column that other rows have.
      if (ofFile !== 'json') checkNamedColumns(columns, options)
      const plan = planColumns(type, columns, options)
      reader = cellsReader(type, isTable ? { ...plan, table: columns } : plan, kind, options)
      if (readers.size >= MAX_CACHED_SHAPES) readers.clear()
      readers.set(shape, reader)
    }
    lastColumns = columns
    lastKind = kind
    isLastTable = isTable
    lastReader = reader
    return reader
  }

  const hasDecimals = [...type.properties.values()].some((property) => isDecimal(property.type))

  return (readRow, kind) => {
    rowNumber += 1
    if (isUnreadable(readRow)) {
      const { reason, excerpt, remedy } = readRow
      return { reason, excerpt, ...(remedy && { remedy }) }
    }
    const row = hasDecimals ? withExactDecimals(readRow) : readRow
    try {
      const columns = columnsOf(row)
      return readerOf(row, columns, kind)(row, rowNumber)
    } catch (error) {
      // In JSON only this row is rejected; in other formats all rows have the same columns.
      if (!(error instanceof ColumnMismatch) || kind !== 'json') throw error
      const { message: reason, columns, remedy } = error
      return {
        reason,
        excerpt: '',
        ...(columns[0] && { column: columns[0] }),
        ...(remedy && { remedy }),
      }
    }
  }
}

/** True if a type holds decimals, which a JSON number may have more digits of than a double. */
function isDecimal(type: PropertyType): boolean {
  switch (type.kind) {
    case 'scalar':
      return type.type === 'decimal'
    case 'array':
      return isDecimal(type.items)
    case 'struct':
      return [...type.fields.values()].some(isDecimal)
  }
}

/** Reads a row of JSON again if a number in it has more digits than a double. */
function withExactDecimals(row: Row): Row {
  const text = row.json ?? row.source
  if (text === undefined || !mayLoseDigits(text)) return row
  const cells = parseFractions(text, (source) => !isExactDouble(source)) as Row['cells']
  return { line: row.line, cells, source: text }
}

function cellsReader(
  type: ObjectType,
  plan: ColumnPlan,
  kind: CellKind,
  options: ColumnOptions,
): CellsReader {
  const key = keyReader(type, plan, kind, options)
  const others = propertyReaders(type, plan, kind, options).filter(
    (reader) => reader.property !== key.property,
  )
  const keyStart = `{${nameText(key.property)}`
  // A row without a key column gets its number as the key, which its JSON does not have.
  const canPass = kind === 'json' && key.column !== undefined
  const fits = canPass ? passThroughCheck(type, plan, options) : undefined

  return (row, number) => {
    let reader = key
    try {
      const keyText = checkKey(key.read(row, number))
      if (fits !== undefined && isOneLine(row.json) && fits(row.cells)) {
        return { json: row.json, key: keyText }
      }
      let json = keyStart + keyText
      for (reader of others) {
        const text = reader.read(row, number)
        if (text !== '') json += `,${text}`
      }
      return { json: `${json}}`, key: keyText }
    } catch (error) {
      if (error instanceof RefusedValue) return toRejectedRow(error, reader, row)
      // `JSON.parse` has no depth limit, but `JSON.stringify` overflows the stack.
      if (!(error instanceof RangeError)) throw error
      return { reason: 'is nested too deeply', excerpt: '', property: reader.property }
    }
  }
}

/** Each change must be one line of its batch; a file may wrap its records. */
function isOneLine(json: string | undefined): json is string {
  return json !== undefined && !json.includes('\n')
}

function toRejectedRow(
  error: RefusedValue,
  { property, column: only, columnAt, remedy }: PropertyReader,
  { cells }: Row,
): RejectedRow {
  const shared = { reason: error.reason, property: property + error.path }
  const column = columnAt?.(error.path) ?? only
  if (column === undefined) return { ...shared, excerpt: '', ...(remedy && { remedy }) }
  return { ...shared, excerpt: excerptOf(cells[column]), column }
}

/** Returns the check for JSON rows that can be sent unchanged; undefined if none can. */
function passThroughCheck(
  type: ObjectType,
  plan: ColumnPlan,
  options: ColumnOptions,
): ((cells: Row['cells']) => boolean) | undefined {
  if (options.rowNumber !== undefined || plan.geopoints.size + plan.structs.size > 0) {
    return undefined
  }
  if (
    plan.hasIgnoredColumns ||
    [...plan.columns].some(([column, property]) => column !== property)
  ) {
    return undefined
  }
  const checks = [...plan.columns.keys()].flatMap((column) => {
    const style = styleOf(column, options)
    const { fits } = cellOf(type, column, style)
    const isNull = nullCheck(style)
    if (fits === undefined && style.nulls?.length === 0) return []
    return [{ column, fits: (value: unknown) => !isNull(value) && (fits?.(value) ?? true) }]
  })
  return (cells) => {
    for (const { column, fits } of checks) {
      const value = cells[column]
      if (value !== null && !fits(value)) return false
    }
    return true
  }
}
