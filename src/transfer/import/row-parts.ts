import { PRIMARY_KEY_MAX_BYTES } from '../../contract/limits.ts'
import type { CellKind, Row } from '../../formats/row.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { ValueReader } from '../../ontology/values/read-value.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'
import {
  type ColumnOptions,
  type ColumnPlan,
  ROW_NUMBER_TYPES,
  UnfitColumns,
} from './column-plan.ts'
import { type Coordinates, placeText } from './places.ts'
import { textCellReader, typedCellReader } from './read-cell.ts'
import { type JsonCell, jsonCell } from './read-json-cell.ts'

/** The parts that the JSON text of an object is put together from. */

/** Reads one property of a row. */
export interface Part {
  readonly property: string
  readonly column: string | undefined
  /** Gives `"name":value`, nothing where it is empty, or throws `RefusedValue`. */
  readonly read: (cells: Row['cells'], number: number) => string
}

/** The part that gives the key: its `read` gives the value alone, in canonical form. */
export function keyPart(
  type: ObjectType,
  plan: ColumnPlan,
  kind: CellKind,
  options: ColumnOptions,
): Part {
  const { apiName: property } = type.primaryKey
  if (options.rowNumber === property) return rowNumberPart(type, property, '')
  const column = [...plan.columns].find(([, given]) => given === property)?.[0]
  if (column === undefined) {
    const canBeNumbered = ROW_NUMBER_TYPES.includes(type.primaryKey.type)
    if (options.numbersRows && canBeNumbered) return rowNumberPart(type, property, '')
    const ways = `name it with --map COLUMN=${property}, or number the rows with --row-number ${property}`
    // The next row of JSON may have it.
    if (kind === 'json') return missingKey(property, `is the primary key and is missing: ${ways}`)
    throw new UnfitColumns(
      `no column gives ${property}, the primary key of ${type.apiName}: ${ways}`,
    )
  }
  // A key is compared with others, so it is read in full even where the service checks it again.
  const read = cellReader(type, property, kind === 'json' ? 'typed' : kind)
  return {
    property,
    column,
    read: (cells) => {
      const value = cells[column]
      if (isAbsent(value, kind)) throw new RefusedValue('is the primary key and is missing')
      return read(value)
    },
  }
}

function missingKey(property: string, reason: string): Part {
  const read = () => {
    throw new RefusedValue(reason)
  }
  return { property, column: undefined, read }
}

export function checkKey(text: string): string {
  if (text === '""') throw new RefusedValue('is the primary key and is empty')
  if (
    text.length > PRIMARY_KEY_MAX_BYTES / 4 &&
    Buffer.byteLength(text) > PRIMARY_KEY_MAX_BYTES + 2
  ) {
    const length = Buffer.byteLength(text.startsWith('"') ? (JSON.parse(text) as string) : text)
    if (length > PRIMARY_KEY_MAX_BYTES) {
      throw new RefusedValue(`is longer than ${PRIMARY_KEY_MAX_BYTES} bytes, too long for a key`)
    }
  }
  return text
}

/** All parts, in the order of the type. */
export function partsOf(
  type: ObjectType,
  plan: ColumnPlan,
  kind: CellKind,
  { rowNumber }: ColumnOptions,
): Part[] {
  const parts = [
    ...[...plan.columns].map((entry) => cellPart(type, entry, kind)),
    ...[...plan.places].map(placePart),
    ...(rowNumber === undefined ? [] : [rowNumberPart(type, rowNumber)]),
  ]
  const order = [...type.properties.keys()]
  return parts.toSorted((a, b) => order.indexOf(a.property) - order.indexOf(b.property))
}

function cellPart(type: ObjectType, [column, property]: [string, string], kind: CellKind): Part {
  const read = cellReader(type, property, kind)
  const name = nameText(property)
  const { kind: shape, ...scalar } = typeOf(type, property)
  const isText = shape === 'scalar' && 'type' in scalar && scalar.type === 'string'
  return {
    property,
    column,
    read: (cells) => {
      const value = cells[column]
      // Only a quoted cell is empty and there, and only text can be so.
      const isEmpty = value === '' ? !isText && kind === 'text' : value === null
      return value === undefined || isEmpty ? '' : name + read(value)
    },
  }
}

function placePart([property, { latitude, longitude }]: [string, Coordinates]): Part {
  const name = nameText(property)
  return {
    property,
    column: latitude,
    read: (cells) => {
      const text = placeText(cells[latitude], cells[longitude])
      return text === undefined ? '' : name + text
    },
  }
}

function cellReader(type: ObjectType, property: string, kind: CellKind): ValueReader {
  if (kind === 'json') return cellOf(type, property).write
  if (kind === 'typed') return typedCellReader(typeOf(type, property))
  const read = textCellReader(typeOf(type, property))
  return (value) => read(typeof value === 'string' ? value : String(value))
}

function rowNumberPart(type: ObjectType, property: string, name = nameText(property)): Part {
  const read = typedCellReader(typeOf(type, property))
  return { property, column: undefined, read: (_cells, number) => name + read(number) }
}

/** A CSV file has no other way to leave a value out than an empty cell. */
export function isAbsent(value: unknown, kind: CellKind): boolean {
  return value === null || value === undefined || (value === '' && kind === 'text')
}

export function nameText(property: string): string {
  return `${JSON.stringify(property)}:`
}

export function cellOf(type: ObjectType, property: string): JsonCell {
  return jsonCell(typeOf(type, property))
}

function typeOf(type: ObjectType, name: string) {
  const property = type.properties.get(name)
  if (property === undefined) throw new Error(`${type.apiName} has no property ${name}`)
  return property.type
}
