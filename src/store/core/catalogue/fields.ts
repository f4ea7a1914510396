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
  ALL_INDEXED,
  type NewField,
  NO_PREFIX_FIELDS,
  type PrefixFields,
  type StoredField,
  type UnindexedFields,
  type UnindexedReason,
} from '../../sql/compile/field-numbers.ts'
import {
  type CoreSession,
  integer,
  json,
  type Operation,
  perDialect,
  type ReadSession,
} from '../session/session.ts'

/** The types of columns of a database. */
export interface FieldTypes<Type extends string> {
  /** Returns the type of the column of a scalar; that of values that do not compare is `presence`. */
  columnType(type: ScalarType): Type
  /** The type of a column that only says that there is a value. */
  readonly presence: Type
  /** Throws if a table cannot have these fields. */
  refuseFields(type: ObjectType, fields: readonly NewField<Type>[]): void
  /** Takes the column from new fields that the database has no room for. */
  limitColumns(
    session: ReadSession,
    fields: readonly NewField<Type>[],
  ): Operation<readonly NewField<Type>[]>
}

/** The types of keys whose stored text is also the column value. */
const TEXT_KEYS: ReadonlySet<string> = new Set(['string', 'date', 'timestamp'])

/** Returns the fields of a type with the types of their columns. */
export function fieldsOfType<Type extends string>(
  types: FieldTypes<Type>,
  { properties, primaryKey }: Pick<ObjectType, 'properties' | 'primaryKey'>,
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
      isKey: (property === primaryKey.apiName && TEXT_KEYS.has(primaryKey.type)) || undefined,
    },
    ...leavesOf(type).map(({ path: structField, type: leaf, isMultiValued }) => ({
      property,
      structField,
      valueType: isMultiValued ? undefined : compared(leaf),
      leafType: !isMultiValued && isComparable(leaf) ? leaf : undefined,
      elementType: isMultiValued ? compared(leaf) : undefined,
    })),
  ])
}

/** Reads the fields without an index. */
export function unindexedFields(value: unknown): UnindexedFields {
  if (value === '{}') return ALL_INDEXED.unindexedFields
  return new Map(Object.entries(json<Record<string, UnindexedReason>>(value)))
}

/** Reads the list of fields whose index holds only the beginning of their texts. */
export function prefixFields(value: unknown): PrefixFields {
  return value === '[]' ? NO_PREFIX_FIELDS : new Set(json<string[]>(value))
}

/** Returns the fields of a type, by number. */
export function* readFields<Type extends string>(
  session: ReadSession,
  typeId: number,
): Operation<readonly StoredField<Type>[]> {
  return (yield* findList<Type>(session, 'object_type_id = ? AND table_id = 0', [typeId])).fields
}

/** Does the same for the type with a RID. */
export function* readFieldsOf<Type extends string>(
  session: ReadSession,
  { rid }: Pick<ObjectType, 'rid'>,
): Operation<readonly StoredField<Type>[]> {
  const isOfType = 'object_type_id = (SELECT id FROM oqs_object_type WHERE rid = ?)'
  return (yield* findList<Type>(session, `${isOfType} AND table_id = 0`, [rid])).fields
}

/**
 * Returns the fields of a table for a writer. A table whose objects are converted to another
 * definition has fields of its own until it is published.
 */
export function readTableFields<Type extends string>(
  session: ReadSession,
  { typeId, id }: { readonly typeId: number; readonly id: number },
): Operation<FieldList<Type>> {
  const isOfTable = 'object_type_id = ? AND table_id IN (0, ?) ORDER BY table_id DESC LIMIT 1'
  return findList(session, isOfTable, [typeId, id])
}

/** The fields of a type, or of one of its tables. */
export interface FieldList<Type extends string> {
  /** 0 for the fields of the type. */
  readonly tableId: number
  readonly fields: readonly StoredField<Type>[]
}

function* findList<Type extends string>(
  session: ReadSession,
  where: string,
  parameters: readonly (string | number)[],
): Operation<FieldList<Type>> {
  const list = yield* session.find(
    `SELECT table_id, fields FROM oqs_field_list WHERE ${where}`,
    parameters,
    { tableId: integer, fields: json<readonly StoredField<Type>[]> },
    { isPrepared: true },
  )
  return list ?? { tableId: 0, fields: [] }
}

/** A type whose fields get numbers, or one of its tables whose objects have another definition. */
export interface FieldOwner {
  readonly typeId: number
  /** All fields of a table are new: values of two definitions never share a column or an index. */
  readonly tableId?: number
  readonly type: ObjectType
}

/** Assigns a number to every new field. Returns the new fields of each owner. */
export function* numberFields<Type extends string>(
  session: CoreSession,
  types: FieldTypes<Type>,
  owners: readonly FieldOwner[],
): Operation<readonly (readonly StoredField<Type>[])[]> {
  const typeIds = owners.flatMap(({ typeId, tableId }) => (tableId === undefined ? [typeId] : []))
  const known = yield* session.query(
    `SELECT object_type_id, fields FROM oqs_field_list
     WHERE table_id = 0 AND object_type_id ${session.dialect.isOneOf('integer')}`,
    [typeIds],
    { typeId: integer, fields: json<StoredField<Type>[]> },
  )
  const lists = owners.map(({ typeId, tableId = 0, type }) => {
    const fields = known.find((list) => list.typeId === typeId)?.fields ?? []
    const keys = new Set(fields.map(fieldKey))
    const wanted = fieldsOfType(types, type).filter((field) => !keys.has(fieldKey(field)))
    return { typeId, tableId, type, fields, wanted }
  })
  const unnumbered = lists.flatMap(({ wanted }) => wanted)
  if (unnumbered.length === 0) return lists.map(() => [])
  const placed = yield* types.limitColumns(session, unnumbered)
  const last = yield* session.find(
    'UPDATE oqs_field_counter SET last_number = last_number + ? RETURNING last_number',
    [placed.length],
    { number: integer },
  )
  const first = (last?.number ?? 0) - placed.length + 1
  const numbered = placed.map((field, index) => ({ ...field, number: first + index }))
  let end = 0
  const added = lists.map(({ wanted }) => {
    end += wanted.length
    return numbered.slice(end - wanted.length, end)
  })
  const rows = lists.flatMap(({ typeId, tableId, type, fields }, index) => {
    const all = [...fields, ...(added[index] ?? [])]
    if (all.length === fields.length) return []
    types.refuseFields(type, all)
    const properties = all.filter(({ structField }) => structField === undefined).length
    return [[typeId, tableId, properties, all.filter(isStructColumn).length, all]]
  })
  yield* session.run(SAVE_LISTS(session), [JSON.stringify(rows)])
  return added
}

/** SQLite needs a condition before ON CONFLICT, which could otherwise belong to a join. */
const SAVE_LISTS = perDialect(
  ({ rows }) => `INSERT INTO oqs_field_list
     (object_type_id, table_id, properties, struct_columns, fields)
   SELECT type_id, table_id, properties, struct_columns, fields FROM ${rows({
     type_id: 'integer',
     table_id: 'integer',
     properties: 'integer',
     struct_columns: 'integer',
     fields: 'text',
   })} AS saved WHERE TRUE
   ON CONFLICT (object_type_id, table_id) DO UPDATE SET properties = excluded.properties,
     struct_columns = excluded.struct_columns, fields = excluded.fields`,
)

/** True for a struct field with a column. */
export function isStructColumn({ structField, valueType }: NewField): boolean {
  return structField !== undefined && valueType !== undefined
}

/** Deletes the fields of a type, or those of a table. */
export function* deleteFields(session: CoreSession, typeId: number, tableId = 0): Operation<void> {
  yield* session.run('DELETE FROM oqs_field_list WHERE object_type_id = ? AND table_id = ?', [
    typeId,
    tableId,
  ])
}

/** Makes the fields of a table those of its type. */
export function* adoptTableFields(
  session: CoreSession,
  { typeId, id }: { readonly typeId: number; readonly id: number },
): Operation<void> {
  yield* deleteFields(session, typeId)
  yield* session.run(
    'UPDATE oqs_field_list SET table_id = 0 WHERE object_type_id = ? AND table_id = ?',
    [typeId, id],
  )
}
