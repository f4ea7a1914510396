/** Readers of single properties, from which the JSON text of an object is built. */

import { PRIMARY_KEY_MAX_BYTES } from '../../contract/limits.ts'
import type { Remedy } from '../../formats/remedy.ts'
import type { CellKind, Row } from '../../formats/row.ts'
import { utf8Length } from '../../formats/utf8.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { ValueReader } from '../../ontology/values/read-value.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'
import {
  type ColumnOptions,
  type ColumnPlan,
  missingKeyColumn,
  ROW_NUMBER_TYPES,
  styleOf,
} from './column-plan.ts'
import { type CoordinateColumns, geopointText } from './geopoint-columns.ts'
import { textCellReader, typedCellReader } from './read-cell.ts'
import { type JsonCell, jsonCell } from './read-json-cell.ts'
import { type StructColumn, structText } from './struct-columns.ts'
import { styledCell, type TextStyle, valueConverter } from './text-style.ts'

/** Reads one property of a row. */
export interface PropertyReader {
  readonly property: string
  readonly column: string | undefined
  /** Returns the column of a path into the property, if several columns provide it. */
  readonly columnAt?: (path: string) => string | undefined
  /** Returns `"name":value`, an empty text for an empty cell, or throws `RefusedValue`. */
  readonly read: (row: Row, number: number) => string
  /** What to do about a value that it always refuses. */
  readonly remedy?: Remedy
}

/** Returns the reader of the primary key; its `read` returns the canonical value alone. */
export function keyReader(
  type: ObjectType,
  plan: ColumnPlan,
  kind: CellKind,
  options: ColumnOptions,
): PropertyReader {
  const { apiName: property } = type.primaryKey
  if (options.rowNumber === property) return rowNumberReader(type, property, '')
  const column = [...plan.columns].find(([, given]) => given === property)?.[0]
  if (column === undefined) {
    const canBeNumbered = ROW_NUMBER_TYPES.includes(type.primaryKey.type)
    if (options.numberRows && canBeNumbered) return rowNumberReader(type, property, '')
    // Another row of JSON may have it.
    if (kind === 'json') return missingKeyReader(property)
    throw missingKeyColumn(type.apiName, property)
  }
  // Keys are compared with each other, so they must be canonical.
  const style = styleOf(column, options)
  const read = cellReader(type, property, kind === 'json' ? 'typed' : kind, style)
  const isNull = nullCheck(style)
  const cellIn = cellGetter(column, plan)
  return {
    property,
    column,
    read: (row) => {
      const value = cellIn(row)
      if (isAbsent(value, kind) || isNull(value))
        throw new RefusedValue('is the primary key and is missing')
      return read(value)
    },
  }
}

function missingKeyReader(property: string): PropertyReader {
  const read = () => {
    throw new RefusedValue('is the primary key and is missing')
  }
  const remedy = { do: 'provideKey', property, areNumbersTaken: false } as const
  return { property, column: undefined, read, remedy }
}

export function checkKey(text: string): string {
  if (text === '""') throw new RefusedValue('is the primary key and is empty')
  if (text.length > PRIMARY_KEY_MAX_BYTES / 4 && utf8Length(text) > PRIMARY_KEY_MAX_BYTES + 2) {
    const length = utf8Length(text.startsWith('"') ? (JSON.parse(text) as string) : text)
    if (length > PRIMARY_KEY_MAX_BYTES) {
      throw new RefusedValue(`is longer than ${PRIMARY_KEY_MAX_BYTES} bytes, too long for a key`)
    }
  }
  return text
}

/** Returns the readers of all properties, in the order of the type. */
export function propertyReaders(
  type: ObjectType,
  plan: ColumnPlan,
  kind: CellKind,
  options: ColumnOptions,
): PropertyReader[] {
  const { rowNumber } = options
  const readers = [
    ...[...plan.columns].map((entry) => cellPropertyReader(type, entry, kind, options, plan)),
    ...[...plan.geopoints].map((entry) => geopointPropertyReader(entry, kind, options, plan)),
    ...[...plan.structs].map((entry) => structPropertyReader(type, entry, kind, options, plan)),
    ...(rowNumber === undefined ? [] : [rowNumberReader(type, rowNumber)]),
  ]
  const order = [...type.properties.keys()]
  return readers.toSorted((a, b) => order.indexOf(a.property) - order.indexOf(b.property))
}

function cellPropertyReader(
  type: ObjectType,
  [column, property]: [string, string],
  kind: CellKind,
  options: ColumnOptions,
  plan: ColumnPlan,
): PropertyReader {
  const cellIn = cellGetter(column, plan)
  const style = styleOf(column, options)
  const read = cellReader(type, property, kind, style)
  const isNull = nullCheck(style)
  const name = nameText(property)
  const { kind: shape, ...scalar } = typeOf(type, property)
  const isText = shape === 'scalar' && 'type' in scalar && scalar.type === 'string'
  const missing = missingText(name, options)
  return {
    property,
    column,
    read: (row) => {
      const value = cellIn(row)
      // In CSV, a quoted empty cell is an empty string, which only a text property can hold.
      const isEmpty = value === '' ? !isText && kind === 'text' : value === null
      return value === undefined || isEmpty || isNull(value) ? missing : name + read(value)
    },
  }
}

function geopointPropertyReader(
  [property, { latitude, longitude }]: [string, CoordinateColumns],
  kind: CellKind,
  options: ColumnOptions,
  plan: ColumnPlan,
): PropertyReader {
  const name = nameText(property)
  const latitudeOf = coordinateReader(latitude, kind, options, plan)
  const longitudeOf = coordinateReader(longitude, kind, options, plan)
  return {
    property,
    column: latitude,
    read: (row) => {
      const text = geopointText(latitudeOf(row), longitudeOf(row))
      return text === undefined ? missingText(name, options) : name + text
    },
  }
}

/** Returns what is written for an empty cell. */
function missingText(name: string, { writesNulls = false }: ColumnOptions): string {
  return writesNulls ? `${name}null` : ''
}

/** Reads a struct whose fields have columns of their own. */
function structPropertyReader(
  type: ObjectType,
  [property, columns]: [string, readonly StructColumn[]],
  kind: CellKind,
  options: ColumnOptions,
  plan: ColumnPlan,
): PropertyReader {
  const name = nameText(property)
  const read = structText(columns, ({ column, type: fieldType }) => {
    // The cells are read as if each were a property.
    const properties = new Map([[column, { apiName: column, type: fieldType }]])
    const inner = { ...type, properties }
    const reader = cellPropertyReader(inner, [column, column], kind, options, plan)
    const label = nameText(column)
    return (row) => reader.read(row, 0).slice(label.length)
  })
  const columnOf = new Map(columns.map(({ column, path }) => [`.${path.join('.')}`, column]))
  return {
    property,
    column: undefined,
    columnAt: (path) => columnOf.get(path),
    read: (row) => {
      const text = read(row)
      return text === '' ? '' : name + text
    },
  }
}

/** Returns the function that finds the cell of a column in a row. */
function cellGetter(column: string, { table = [] }: ColumnPlan): (row: Row) => unknown {
  const index = table.indexOf(column)
  return index === -1 ? (row) => row.cells[column] : (row) => row.table?.values[index]
}

/** Returns a reader of a coordinate as a plain number, undefined if it is missing. */
function coordinateReader(
  column: string,
  kind: CellKind,
  options: ColumnOptions,
  plan: ColumnPlan,
): (row: Row) => unknown {
  const cellIn = cellGetter(column, plan)
  const style = styleOf(column, options)
  const isNull = nullCheck(style)
  const convert = valueConverter({ kind: 'scalar', type: 'double' }, kind, style)
  return (row) => {
    const value = cellIn(row)
    return isNull(value) ? undefined : (convert?.(value) ?? value)
  }
}

function cellReader(
  type: ObjectType,
  property: string,
  kind: CellKind,
  style: TextStyle,
): ValueReader {
  if (kind === 'json') return cellOf(type, property, style).write
  const read = plainReader(type, property, kind)
  const convert = valueConverter(typeOf(type, property), kind, style)
  return convert === undefined ? read : (value) => read(convert(value))
}

function plainReader(type: ObjectType, property: string, kind: 'text' | 'typed'): ValueReader {
  if (kind === 'typed') return typedCellReader(typeOf(type, property))
  const read = textCellReader(typeOf(type, property))
  return (value) => read(typeof value === 'string' ? value : String(value))
}

/** Returns whether a value stands for a missing one. */
export function nullCheck({ nulls = [] }: TextStyle): (value: unknown) => boolean {
  if (nulls.length === 0) return () => false
  return (value) => typeof value === 'string' && nulls.includes(value.trim())
}

function rowNumberReader(
  type: ObjectType,
  property: string,
  name = nameText(property),
): PropertyReader {
  const read = typedCellReader(typeOf(type, property))
  return { property, column: undefined, read: (_row, number) => name + read(number) }
}

/** Returns whether a cell has no value; in CSV, an empty cell has none. */
export function isAbsent(value: unknown, kind: CellKind): boolean {
  return value === null || value === undefined || (value === '' && kind === 'text')
}

export function nameText(property: string): string {
  return `${JSON.stringify(property)}:`
}

export function cellOf(type: ObjectType, property: string, style: TextStyle): JsonCell {
  const propertyType = typeOf(type, property)
  return styledCell(jsonCell(propertyType), propertyType, style)
}

function typeOf(type: ObjectType, name: string) {
  const property = type.properties.get(name)
  if (property === undefined) throw new Error(`${type.apiName} has no property ${name}`)
  return property.type
}
