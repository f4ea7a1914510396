/** The fields of object types, as queries need them. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Field } from '../../../query/query.ts'
import { FieldNumbers } from '../../sql/compile/field-numbers.ts'
import type { PropertySql } from '../../sql/compile/property-sql.ts'
import { isGeoPoint, languageOf, presenceOf, textFieldsOf } from '../../sql/compile/query-fields.ts'
import type { ColumnType } from '../catalogue/column-codec.ts'
import { elementColumnOf, type FieldColumns, readFieldColumns } from '../catalogue/field-columns.ts'
import type { TableLayout } from '../catalogue/table-layout.ts'
import type { TypeHead } from '../catalogue/type-head.ts'
import type { Session } from '../driver/database.ts'
import type { TypeFields } from './query-tables.ts'

type TypeState = Pick<TypeHead, 'typeId' | 'generation' | 'longFields'>

interface CachedFields extends TypeState {
  readonly columns: readonly FieldColumns[]
  /** By the fields whose index holds only the beginning of their texts. */
  readonly fields: Map<string, TypeFields>
}

/**
 * Caches the fields of each type. They change only with its definition, and when a field gets its
 * first long text; a lookup is a round trip to the database for every page of a query.
 */
export class TypeFieldsCache {
  readonly #types = new WeakMap<ObjectType, CachedFields>()

  /** Returns the fields of a type if they are cached for this head. */
  find(head: TypeState, objectType: ObjectType, table: TableLayout): TypeFields | undefined {
    const cached = this.#types.get(objectType)
    const isCurrent =
      cached?.typeId === head.typeId &&
      cached.generation === head.generation &&
      cached.longFields === head.longFields
    return isCurrent ? fieldsOfTable(cached, objectType, table) : undefined
  }

  /** Returns the fields of a type. Must be called in the transaction that read the head. */
  async read(
    session: Session,
    head: TypeState,
    objectType: ObjectType,
    table: TableLayout,
  ): Promise<TypeFields> {
    const found = this.find(head, objectType, table)
    if (found !== undefined) return found
    const { typeId, generation, longFields } = head
    const columns = await readFieldColumns(session, typeId)
    const cached = { typeId, generation, longFields, columns, fields: new Map() }
    this.#types.set(objectType, cached)
    return fieldsOfTable(cached, objectType, table)
  }
}

function fieldsOfTable(
  { columns, fields }: CachedFields,
  objectType: ObjectType,
  table: TableLayout,
): TypeFields {
  const key = [...table.prefixFields].join()
  const known = fields.get(key)
  if (known !== undefined) return known
  const ofTable = toTypeFields(columns, objectType, table)
  fields.set(key, ofTable)
  return ofTable
}

/** Returns the fields of a type as the database has them now. */
export async function readTypeFields(
  session: Session,
  typeId: number,
  objectType: ObjectType,
  table: TableLayout,
): Promise<TypeFields> {
  return toTypeFields(await readFieldColumns(session, typeId), objectType, table)
}

/** The index of long texts holds their beginning, not their end. */
class PostgresFieldNumbers extends FieldNumbers<ColumnType> {
  override propertySql(property: string, structField?: string): PropertySql {
    const { value, indexed, form } = super.propertySql(property, structField)
    return { value, indexed, form }
  }

  protected override elementSql(number: number): string {
    return `o.${elementColumnOf(number)}[1]`
  }
}

function toTypeFields(
  columns: readonly FieldColumns[],
  objectType: ObjectType,
  { prefixFields }: TableLayout,
): TypeFields {
  const numbers = new PostgresFieldNumbers(columns, prefixFields)
  return {
    numbers,
    prefixFields,
    columnsOf: (field: Field) => numbers.find(field),
    textFields: () => textFieldsOf(objectType),
    languageOf: (field) => languageOf(objectType, field),
    presenceOf: (field) => presenceOf(objectType, field),
    isGeoPoint: (field) => isGeoPoint(objectType, field),
  }
}
