/** How the fields of columns are read from rows of an object table. */
import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import { PATH_SEPARATOR } from '../../../ontology/definition/struct-path.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { isComparable, scalarCodec } from '../../../ontology/values/scalar-codec.ts'
import { isLacking } from '../../../query/aggregation/read-field.ts'
import type { FieldValue } from '../../columns/segment/build-column.ts'
import type { ColumnSpec } from '../../columns/segment/column.ts'
import type { FieldNumbers } from '../../sql/compile/field-numbers.ts'
import type { Dialect } from '../session/session.ts'

/** How a database returns the values of a type. */
export interface ValueForm {
  /** Returns the expression to select instead of a column, if its values would not be exact. */
  readonly select?: (column: string) => string
  /** Returns the column value of a cell that is not NULL. */
  readonly decode?: (cell: unknown) => ColumnValue
}

/** What a statement selects for fields, with the values of its placeholders. */
export interface FieldSelection {
  readonly expressions: readonly string[]
  readonly parameters: readonly string[]
  /** Reads the fields from a row; their first column is the one at `start`. */
  readonly read: (row: readonly unknown[], start: number) => FieldValue[]
}

type ReadField = (row: readonly unknown[], start: number) => FieldValue

/**
 * Selects the fields. A field with one value has a column. Lists and points are read from the body
 * of the object, which has all elements in their order.
 */
export function selectFields(
  specs: readonly ColumnSpec[],
  numbers: FieldNumbers,
  dialect: Dialect,
  formOf: (type: ScalarType) => ValueForm,
): FieldSelection {
  const expressions: string[] = []
  const parameters: string[] = []
  const bodyColumns = new Map<string, number>()
  const columnOf = (property: string) => {
    const known = bodyColumns.get(property)
    if (known !== undefined) return known
    const at = expressions.push(dialect.memberJson('o.body')) - 1
    parameters.push(property)
    bodyColumns.set(property, at)
    return at
  }
  const fields = specs.map((spec): ReadField => {
    const { property, structField, type } = spec
    const isCompared = type !== undefined && isComparable(type)
    if (type === 'geopoint' || (spec.isList && isCompared)) {
      return jsonReader(
        columnOf(property),
        type === 'geopoint' ? readPoint : listReader(spec, type),
      )
    }
    if (isLacking(spec)) return () => undefined
    const { value } = numbers.propertySql(property, structField)
    const { select, decode } = isCompared ? formOf(type) : {}
    return columnReader(expressions.push(select?.(value) ?? value) - 1, decode)
  })
  const read = (row: readonly unknown[], start: number) => {
    const values: FieldValue[] = []
    for (const field of fields) values.push(field(row, start))
    return values
  }
  return { expressions, parameters, read }
}

function columnReader(at: number, decode: ValueForm['decode']): ReadField {
  return (row, start) => {
    const cell = row[start + at]
    if (cell === null) return undefined
    return decode === undefined ? (cell as ColumnValue) : decode(cell)
  }
}

function jsonReader(at: number, read: (json: unknown) => FieldValue): ReadField {
  return (row, start) => {
    const json = row[start + at]
    return json === null ? undefined : read(JSON.parse(json as string))
  }
}

function readPoint(json: unknown): FieldValue {
  const [longitude, latitude] = (json as { coordinates: [number, number] }).coordinates
  return { longitude, latitude }
}

/** Returns a function that collects the values at a path, through all arrays on the way. */
export function listReader(
  { structField }: Pick<ColumnSpec, 'structField'>,
  type: ScalarType,
): (json: unknown) => readonly ColumnValue[] {
  const { parse, column } = scalarCodec(type)
  const path = structField?.split(PATH_SEPARATOR) ?? []
  const collect = (json: unknown, depth: number, values: ColumnValue[]): void => {
    const name = path[depth]
    if (Array.isArray(json)) for (const one of json) collect(one, depth, values)
    else if (name === undefined) values.push(column?.encode(parse(json)) ?? 1)
    else if (Object.hasOwn(json as object, name)) {
      collect((json as Readonly<Record<string, unknown>>)[name], depth + 1, values)
    }
  }
  return (json) => {
    const values: ColumnValue[] = []
    collect(json, 0, values)
    return values
  }
}
