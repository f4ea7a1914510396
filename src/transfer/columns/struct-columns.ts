/** Columns that provide fields of structs: `address.city`, as nested data is often written in CSV. */
import type { Row } from '../../formats/row.ts'
import type { PropertyType } from '../../ontology/definition/property-type.ts'
import { findPath, PATH_SEPARATOR, typeAt } from '../../ontology/definition/struct-path.ts'
import type { ObjectType, Property } from '../../ontology/ontology.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'

/** A column, and the field that it provides. */
export interface StructColumn {
  readonly column: string
  /** The names of the fields that lead to it. */
  readonly path: readonly string[]
  readonly type: PropertyType
}

/** Returns the struct properties that columns provide field by field. */
export function findStructColumns(
  { properties }: Pick<ObjectType, 'properties'>,
  columns: readonly string[],
): ReadonlyMap<string, readonly StructColumn[]> {
  const found = new Map<string, StructColumn[]>()
  for (const column of columns) {
    const field = findStructColumn(properties, column)
    if (field === undefined) continue
    const others = found.get(field.property) ?? []
    found.set(field.property, [...others, { column, path: field.path, type: field.type }])
  }
  return found
}

/** A field in an array has no column: it has any number of values. */
function findStructColumn(properties: ReadonlyMap<string, Property>, column: string) {
  for (let at = column.lastIndexOf('.'); at > 0; at = column.lastIndexOf('.', at - 1)) {
    const property = column.slice(0, at)
    const type = properties.get(property)?.type
    const path = type && findPath(type, column.slice(at + 1))
    const end = type && path !== undefined ? typeAt(type, path) : undefined
    if (path === undefined || end === undefined || end.isInArray) continue
    return { property, path: path.split(PATH_SEPARATOR), type: end.type }
  }
  return undefined
}

/** Returns the JSON text of a cell, an empty text for an empty cell, or throws `RefusedValue`. */
export type CellText = (row: Row) => string

/** The cells of a struct, by the names of its fields. */
interface StructCells extends Map<string, StructCells | CellText> {}

/** Returns a reader of the JSON text of a struct; empty if all its cells are. */
export function structText(
  columns: readonly StructColumn[],
  cellText: (column: StructColumn) => CellText,
): CellText {
  const cells: StructCells = new Map()
  for (const column of columns) addCell(cells, column.path, cellText(column))
  return textOf(cells)
}

function addCell(cells: StructCells, path: readonly string[], read: CellText): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    cells.set(name, read)
    return
  }
  const inner = cells.get(name)
  const struct: StructCells = inner instanceof Map ? inner : new Map()
  cells.set(name, struct)
  addCell(struct, rest, read)
}

function textOf(cells: StructCells): CellText {
  const fields = [...cells].map(([name, cell]) => ({
    name,
    read: cell instanceof Map ? textOf(cell) : cell,
  }))
  return (row) => {
    const members = fields.flatMap(({ name, read }) => {
      try {
        const text = read(row)
        return text === '' ? [] : [`${JSON.stringify(name)}:${text}`]
      } catch (error) {
        throw error instanceof RefusedValue ? error.inside(`.${name}`) : error
      }
    })
    return members.length === 0 ? '' : `{${members.join(',')}}`
  }
}
