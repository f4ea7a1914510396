import type { PropertyType, ScalarType } from '../../../ontology/definition/property-type.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { decimalOf } from '../../../ontology/values/column-value.ts'
import { isComparable } from '../../../ontology/values/scalar-codec.ts'
import { type FieldId, fieldsOf } from '../../../ontology/values/searchable-values.ts'
import type { Session, WriteSession } from '../driver/database.ts'

/** The columns that hold the values of a field, and how values stand in them. */

export type ColumnType = 'text' | 'integer' | 'smallint' | 'bigint' | 'double precision' | 'numeric'

export interface FieldColumns extends FieldId {
  readonly number: number
  /** Of the column with the value, or with a one where there is something; properties have it. */
  readonly valueType: ColumnType | undefined
  /** Of the elements of the array that holds any number of values. */
  readonly elementType: ColumnType | undefined
  /** Whether a text was ever written here that is too long for an index that sorts. */
  readonly hasLongText: boolean
}

/** The column of the elements of a field; `columnOf` is the one of a single value. */
export function elementColumnOf(number: number): string {
  if (!Number.isSafeInteger(number)) throw new Error(`not a field number: ${number}`)
  return `e${number}`
}

/** What values of a type are in the database. */
export function columnType(type: ScalarType): ColumnType {
  switch (type) {
    case 'string':
    case 'marking':
    case 'date':
    case 'timestamp':
      return 'text'
    case 'boolean':
    case 'byte':
    case 'short':
    case 'integer':
      return 'integer'
    case 'long':
      return 'bigint'
    case 'float':
    case 'double':
      return 'double precision'
    case 'decimal':
      return 'numeric'
    default:
      // It is there, and more cannot be said of it.
      return 'smallint'
  }
}

/** A column value as PostgreSQL reads it. */
export function columnText(type: ColumnType, value: ColumnValue): string {
  if (type !== 'numeric') return String(value)
  const { units, scale } = decimalOf(String(value))
  return `${units}e${-scale}`
}

type FieldTypes = FieldId & Pick<FieldColumns, 'valueType' | 'elementType'>

/** The fields of a type, each with what its columns are. */
function fieldTypes({ properties }: ObjectType): FieldTypes[] {
  return fieldsOf(properties.values()).map(({ property, structField }) => {
    const type = properties.get(property)?.type
    if (type === undefined) throw new Error(`no property ${property}`)
    return { property, structField, ...columnTypes(type, structField) }
  })
}

function columnTypes(type: PropertyType, structField: string | undefined) {
  if (structField !== undefined) {
    const inner = type.kind === 'array' ? type.items : type
    const field = inner.kind === 'struct' ? inner.fields.get(structField) : undefined
    return { valueType: undefined, elementType: elementType(field?.type) }
  }
  switch (type.kind) {
    case 'scalar':
      return { valueType: columnType(type.type), elementType: undefined }
    case 'array': {
      const { items } = type
      const element = items.kind === 'scalar' ? items.type : undefined
      return { valueType: 'smallint' as const, elementType: elementType(element) }
    }
    case 'struct':
      return { valueType: 'smallint' as const, elementType: undefined }
  }
}

function elementType(type: ScalarType | undefined): ColumnType | undefined {
  return type !== undefined && isComparable(type) ? columnType(type) : undefined
}

/** Gives every field that has none a number; those that are new. */
export async function numberFields(
  session: WriteSession,
  typeId: number,
  objectType: ObjectType,
): Promise<FieldColumns[]> {
  const known = await readFieldColumns(session, typeId)
  // API names hold no colon.
  const nameOf = ({ property, structField }: FieldId) => `${property}:${structField ?? ''}`
  const names = new Set(known.map(nameOf))
  const added = fieldTypes(objectType).filter((field) => !names.has(nameOf(field)))
  if (added.length === 0) return []
  const rows = await session.query(
    `INSERT INTO oqs_object_field (object_type_id, property, struct_field, value_type, element_type)
     SELECT ?::bigint, * FROM unnest(?::text[], ?::text[], ?::text[], ?::text[])
     RETURNING ${FIELD_COLUMNS}`,
    [
      typeId,
      added.map(({ property }) => property),
      added.map(({ structField }) => structField ?? null),
      added.map(({ valueType }) => valueType ?? null),
      added.map(({ elementType: element }) => element ?? null),
    ],
  )
  return rows.map(toFieldColumns)
}

const FIELD_COLUMNS = 'number, property, struct_field, value_type, element_type, has_long_text'

export async function readFieldColumns(session: Session, typeId: number): Promise<FieldColumns[]> {
  const rows = await session.query(
    `SELECT ${FIELD_COLUMNS} FROM oqs_object_field WHERE object_type_id = ? ORDER BY number`,
    [typeId],
    { name: true },
  )
  return rows.map(toFieldColumns)
}

function toFieldColumns(row: readonly unknown[]): FieldColumns {
  const [number, property, structField, valueType, element, hasLongText] = row
  return {
    number: Number(number),
    property: String(property),
    structField: (structField as string | null) ?? undefined,
    valueType: (valueType as ColumnType | null) ?? undefined,
    elementType: (element as ColumnType | null) ?? undefined,
    hasLongText: hasLongText === true,
  }
}
