/**
 * The fields of object types: their properties, and the fields of their structs. Each has a number
 * that its columns are named by, so that no name of a user ever appears in SQL.
 */
import type { PropertyType, ScalarType } from '../../../ontology/definition/property-type.ts'
import { leavesOf } from '../../../ontology/definition/struct-path.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { isComparable } from '../../../ontology/values/scalar-codec.ts'
import { fieldKey } from '../../../ontology/values/searchable-values.ts'
import {
  type NewField,
  NO_PREFIX_FIELDS,
  type PrefixFields,
  type StoredField,
} from '../../sql/compile/field-numbers.ts'
import { boolean, integer, json, optional, text, word } from '../session/columns.ts'
import type { Operation } from '../session/operation.ts'
import type { CoreSession, ReadSession } from '../session/session.ts'

/** The types of columns of a database. */
export interface FieldTypes<Type extends string> {
  /** Returns the type of the column of a scalar; that of values that do not compare is `presence`. */
  columnType(type: ScalarType): Type
  /** The type of a column that only says that there is a value. */
  readonly presence: Type
  /** Takes the column from new fields that the database has no room for. */
  limitColumns(
    session: ReadSession,
    fields: readonly NewField<Type>[],
  ): Operation<readonly NewField<Type>[]>
}

/** The types of keys whose stored text is also the column value. */
const TEXT_KEYS: ReadonlySet<string> = new Set(['string', 'date', 'timestamp'])

/** Returns the fields of a type with the types of their columns. */
function fieldsOfType<Type extends string>(
  types: FieldTypes<Type>,
  { properties, primaryKey }: ObjectType,
): NewField<Type>[] {
  const compared = (type: ScalarType | undefined) =>
    type !== undefined && isComparable(type) ? types.columnType(type) : undefined
  const elementOf = (type: PropertyType) =>
    type.kind === 'array' && type.items.kind === 'scalar' ? compared(type.items.type) : undefined
  return [...properties.values()].flatMap(({ apiName: property, type }) => [
    {
      property,
      structField: undefined,
      valueType: type.kind === 'scalar' ? types.columnType(type.type) : types.presence,
      elementType: elementOf(type),
      isKey: property === primaryKey.apiName && TEXT_KEYS.has(primaryKey.type),
    },
    ...leavesOf(type).map(({ path: structField, type: leaf, isMultiValued }) => ({
      property,
      structField,
      valueType: isMultiValued ? undefined : compared(leaf),
      elementType: isMultiValued ? compared(leaf) : undefined,
      isKey: false,
    })),
  ])
}

const COLUMNS = 'number, property, struct_field, value_type, element_type, has_long_text, is_key'

function fieldColumns<Type extends string>() {
  return {
    number: integer,
    property: text,
    structField: optional(text),
    valueType: optional(word<Type>),
    elementType: optional(word<Type>),
    hasLongText: boolean,
    isKey: boolean,
  }
}

/** Reads the list of fields whose index holds only the beginning of their texts. */
export function prefixFields(value: unknown): PrefixFields {
  return value === '[]' ? NO_PREFIX_FIELDS : new Set(json<string[]>(value))
}

/** Returns the fields of a type, by number. */
export function readFields<Type extends string>(
  session: ReadSession,
  typeId: number,
): Operation<readonly StoredField<Type>[]> {
  return session.query(
    `SELECT ${COLUMNS} FROM oqs_object_field WHERE object_type_id = ? ORDER BY number`,
    [typeId],
    fieldColumns<Type>(),
    { isPrepared: true },
  )
}

/** Does the same for the type with a RID. */
export function readFieldsOf<Type extends string>(
  session: ReadSession,
  { rid }: Pick<ObjectType, 'rid'>,
): Operation<readonly StoredField<Type>[]> {
  return session.query(
    `SELECT ${COLUMNS} FROM oqs_object_field
     WHERE object_type_id = (SELECT id FROM oqs_object_type WHERE rid = ?) ORDER BY number`,
    [rid],
    fieldColumns<Type>(),
  )
}

/**
 * Returns the fields of a table for a writer. A table whose objects are converted to another
 * definition has fields of its own until it is published.
 */
export function readTableFields<Type extends string>(
  session: ReadSession,
  { typeId, id }: { readonly typeId: number; readonly id: number },
): Operation<readonly StoredField<Type>[]> {
  return session.query(
    `SELECT ${COLUMNS} FROM oqs_table_field WHERE table_id = ?
     UNION ALL SELECT ${COLUMNS} FROM oqs_object_field
     WHERE object_type_id = ? AND NOT EXISTS (SELECT 1 FROM oqs_table_field WHERE table_id = ?)
     ORDER BY number`,
    [id, typeId, id],
    fieldColumns<Type>(),
    { isPrepared: true },
  )
}

/** Assigns a number to every new field of a type, and returns the new fields. */
export function* numberFields<Type extends string>(
  session: CoreSession,
  types: FieldTypes<Type>,
  typeId: number,
  type: ObjectType,
): Operation<readonly StoredField<Type>[]> {
  const known = new Set((yield* readFields(session, typeId)).map(fieldKey))
  const added = fieldsOfType(types, type).filter((field) => !known.has(fieldKey(field)))
  return yield* addFields(session, types, OF_TYPE, typeId, added)
}

/**
 * Assigns new numbers to all fields of a table whose objects have another definition than their type.
 * Values of the two definitions never share a column, or an entry of an index.
 */
export function numberTableFields<Type extends string>(
  session: CoreSession,
  types: FieldTypes<Type>,
  tableId: number,
  type: ObjectType,
): Operation<readonly StoredField<Type>[]> {
  return addFields(session, types, OF_TABLE, tableId, fieldsOfType(types, type))
}

const OF_TYPE = { table: 'oqs_object_field', owner: 'object_type_id' } as const
const OF_TABLE = { table: 'oqs_table_field', owner: 'table_id' } as const

function* addFields<Type extends string>(
  session: CoreSession,
  types: FieldTypes<Type>,
  { table, owner }: typeof OF_TYPE | typeof OF_TABLE,
  ownerId: number,
  fields: readonly NewField<Type>[],
): Operation<readonly StoredField<Type>[]> {
  if (fields.length === 0) return []
  const placed = yield* types.limitColumns(session, fields)
  const last = yield* session.find(
    'UPDATE oqs_field_counter SET last_number = last_number + ? RETURNING last_number',
    [fields.length],
    { number: integer },
  )
  const first = (last?.number ?? 0) - fields.length + 1
  const added = placed.map((field, index) => ({
    ...field,
    number: first + index,
    hasLongText: false,
  }))
  const rows = added.map(({ number, property, structField, valueType, elementType, isKey }) => [
    number,
    property,
    structField ?? null,
    valueType ?? null,
    elementType ?? null,
    isKey ? 1 : 0,
  ])
  const source = session.dialect.rows({
    number: 'integer',
    property: 'text',
    struct_field: 'text',
    value_type: 'text',
    element_type: 'text',
    is_key: 'integer',
  })
  yield* session.run(
    `INSERT INTO ${table} (${owner}, number, property, struct_field, value_type, element_type, is_key)
     SELECT CAST(? AS bigint), number, property, struct_field, value_type, element_type, is_key = 1
     FROM ${source} AS added`,
    [ownerId, JSON.stringify(rows)],
  )
  return added
}

/** Makes the fields of a table those of its type. */
export function* adoptTableFields(
  session: CoreSession,
  { typeId, id }: { readonly typeId: number; readonly id: number },
): Operation<void> {
  yield* session.run('DELETE FROM oqs_object_field WHERE object_type_id = ?', [typeId])
  yield* session.run(
    `INSERT INTO oqs_object_field (object_type_id, ${COLUMNS})
     SELECT CAST(? AS bigint), ${COLUMNS} FROM oqs_table_field WHERE table_id = ?`,
    [typeId, id],
  )
  yield* session.run('DELETE FROM oqs_table_field WHERE table_id = ?', [id])
}
