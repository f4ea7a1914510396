/** The columns of each field of an object type, and the numbers that they are named by. */
import type { PropertyType, ScalarType } from '../../../ontology/definition/property-type.ts'
import { leavesOf, type StructLeaf } from '../../../ontology/definition/struct-path.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { isComparable } from '../../../ontology/values/scalar-codec.ts'
import { type FieldId, fieldKey } from '../../../ontology/values/searchable-values.ts'
import type { Session, WriteSession } from '../driver/database.ts'
import { type ColumnType, columnType } from './column-codec.ts'

/** A property or a struct field, with the types of its columns. */
export interface FieldColumns extends FieldId {
  readonly number: number
  /**
   * The type of the value column, for properties and for struct fields with one value. That of a
   * property holds 1 if its values do not compare.
   */
  readonly valueType: ColumnType | undefined
  /** The element type of the array column, for fields with any number of values. */
  readonly elementType: ColumnType | undefined
  /** True once a text was written that is too long for a B-tree index. */
  readonly hasLongText: boolean
  /** True for the property whose column value is the key itself. */
  readonly isKey: boolean
}

/** Returns the name of the array column of a field; `columnOf` names the value column. */
export function elementColumnOf(number: number): string {
  if (!Number.isSafeInteger(number)) throw new Error(`not a field number: ${number}`)
  return `e${number}`
}

type FieldTypes = FieldId & Pick<FieldColumns, 'valueType' | 'elementType'>

/** Returns the fields of a type with the types of their columns. */
function fieldTypes({ properties }: ObjectType): FieldTypes[] {
  return [...properties.values()].flatMap(({ apiName: property, type }) => [
    { property, structField: undefined, ...columnTypes(type) },
    ...leavesOf(type).map((leaf) => ({
      property,
      structField: leaf.path,
      ...leafColumnTypes(leaf),
    })),
  ])
}

function columnTypes(type: PropertyType) {
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

/** A field outside arrays has one value. */
function leafColumnTypes({ type, isMultiValued }: StructLeaf) {
  const columnType = elementType(type)
  return isMultiValued
    ? { valueType: undefined, elementType: columnType }
    : { valueType: columnType, elementType: undefined }
}

function elementType(type: ScalarType | undefined): ColumnType | undefined {
  return type !== undefined && isComparable(type) ? columnType(type) : undefined
}

/** Assigns a number to every new field of a type, and returns the new fields. */
export async function numberFields(
  session: WriteSession,
  typeId: number,
  objectType: ObjectType,
): Promise<FieldColumns[]> {
  const known = await readFieldColumns(session, typeId)
  const names = new Set(known.map(fieldKey))
  const added = fieldTypes(objectType).filter((field) => !names.has(fieldKey(field)))
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
      typeId,
    ],
  )
  return rows.map(toFieldColumns)
}

/**
 * Takes the id of the type as a parameter, so that the database reads the definition once. The column
 * values of texts and times are the same as their keys; those of numbers differ.
 */
const isKeyOf = (type: 'id' | 'rid') => `value_type = 'text' AND struct_field IS NULL
  AND property = (SELECT definition::json ->> 'primaryKey' FROM oqs_object_type WHERE ${type} = ?)`
const columnsOfType = (type: 'id' | 'rid') =>
  `number, property, struct_field, value_type, element_type, has_long_text, ${isKeyOf(type)}`
const FIELD_COLUMNS = columnsOfType('id')

export async function readFieldColumns(session: Session, typeId: number): Promise<FieldColumns[]> {
  const rows = await session.query(
    `SELECT ${FIELD_COLUMNS} FROM oqs_object_field WHERE object_type_id = ? ORDER BY number`,
    [typeId, typeId],
    { isPrepared: true },
  )
  return rows.map(toFieldColumns)
}

/** Does the same for the type with a RID. */
export async function readFieldsOf(session: Session, { rid }: ObjectType): Promise<FieldColumns[]> {
  const rows = await session.query(
    `SELECT ${columnsOfType('rid')} FROM oqs_object_field
     WHERE object_type_id = (SELECT id FROM oqs_object_type WHERE rid = ?) ORDER BY number`,
    [rid, rid],
  )
  return rows.map(toFieldColumns)
}

/**
 * Returns the fields of a table for a writer. A table whose objects are converted to another
 * definition has fields of its own until it is published.
 */
export async function readTableFields(
  session: Session,
  typeId: number,
  tableId: number,
): Promise<FieldColumns[]> {
  const rows = await session.query(
    `SELECT number, property, struct_field, value_type, element_type, has_long_text, is_key
     FROM oqs_table_field WHERE table_id = ? ORDER BY number`,
    [tableId],
    { isPrepared: true },
  )
  return rows.length > 0 ? rows.map(toFieldColumns) : readFieldColumns(session, typeId)
}

/**
 * Assigns new numbers to all fields of a table whose objects have another definition than their type.
 * Values of the two definitions never share a column.
 */
export async function numberTableFields(
  session: WriteSession,
  tableId: number,
  objectType: ObjectType,
): Promise<FieldColumns[]> {
  const fields = fieldTypes(objectType)
  const isKey = ({ property, structField, valueType }: FieldTypes) =>
    valueType === 'text' && structField === undefined && property === objectType.primaryKey.apiName
  const rows = await session.query(
    `INSERT INTO oqs_table_field
       (number, table_id, property, struct_field, value_type, element_type, is_key)
     SELECT nextval(pg_get_serial_sequence('oqs_object_field', 'number')), ?::bigint, *
     FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::boolean[])
     RETURNING number, property, struct_field, value_type, element_type, has_long_text, is_key`,
    [
      tableId,
      fields.map(({ property }) => property),
      fields.map(({ structField }) => structField ?? null),
      fields.map(({ valueType }) => valueType ?? null),
      fields.map(({ elementType: element }) => element ?? null),
      fields.map(isKey),
    ],
  )
  return rows.map(toFieldColumns)
}

/** Makes the fields of a table those of its type. */
export async function adoptTableFields(
  session: WriteSession,
  typeId: number,
  tableId: number,
): Promise<void> {
  await session.run('DELETE FROM oqs_object_field WHERE object_type_id = ?', [typeId])
  await session.run(
    `INSERT INTO oqs_object_field
       (number, object_type_id, property, struct_field, value_type, element_type, has_long_text)
     SELECT number, ?::bigint, property, struct_field, value_type, element_type, has_long_text
     FROM oqs_table_field WHERE table_id = ?`,
    [typeId, tableId],
  )
  await session.run('DELETE FROM oqs_table_field WHERE table_id = ?', [tableId])
}

function toFieldColumns(row: readonly unknown[]): FieldColumns {
  const [number, property, structField, valueType, element, hasLongText, isKey] = row
  return {
    number: Number(number),
    property: String(property),
    structField: (structField as string | null) ?? undefined,
    valueType: (valueType as ColumnType | null) ?? undefined,
    elementType: (element as ColumnType | null) ?? undefined,
    hasLongText: hasLongText === true,
    isKey: isKey === true,
  }
}
