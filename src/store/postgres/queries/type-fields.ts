/** The fields of object types, as queries need them. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Field } from '../../../query/query.ts'
import { FieldNumbers } from '../../sql/field-numbers.ts'
import { isGeoPoint, textFieldsOf } from '../../sql/query-fields.ts'
import { type FieldColumns, readFieldColumns } from '../catalogue/field-columns.ts'
import type { TypeHead } from '../catalogue/type-head.ts'
import type { Session } from '../driver/database.ts'
import type { QueryTables } from './query-tables.ts'

export interface TypeFields extends Pick<QueryTables, 'columnsOf' | 'textFields' | 'isGeoPoint'> {
  readonly numbers: FieldNumbers
}

type TypeState = Pick<TypeHead, 'typeId' | 'generation' | 'longFields'>

/**
 * Caches the fields of each type. They change only with its definition, and when a field gets its
 * first long text; a lookup is a round trip to the database for every page of a query.
 */
export class TypeFieldsCache {
  readonly #fields = new WeakMap<ObjectType, TypeFields & TypeState>()

  /** Returns the fields of a type if they are cached for this head. */
  find(head: TypeState, objectType: ObjectType): TypeFields | undefined {
    const cached = this.#fields.get(objectType)
    return cached?.typeId === head.typeId &&
      cached.generation === head.generation &&
      cached.longFields === head.longFields
      ? cached
      : undefined
  }

  /** Returns the fields of a type. Must be called in the transaction that read the head. */
  async read(session: Session, head: TypeState, objectType: ObjectType): Promise<TypeFields> {
    const cached = this.find(head, objectType)
    if (cached !== undefined) return cached
    const fields = await readTypeFields(session, head.typeId, objectType)
    const { typeId, generation, longFields } = head
    this.#fields.set(objectType, { ...fields, typeId, generation, longFields })
    return fields
  }
}

/** Returns the fields of a type as the database has them now. */
export async function readTypeFields(
  session: Session,
  typeId: number,
  objectType: ObjectType,
): Promise<TypeFields> {
  return toTypeFields(await readFieldColumns(session, typeId), objectType)
}

function toTypeFields(columns: readonly FieldColumns[], objectType: ObjectType): TypeFields {
  const byNumber = new Map<number, FieldColumns>(columns.map((field) => [field.number, field]))
  const numbers = new FieldNumbers(
    columns.map(({ number, property, structField = null }) => ({
      number,
      property,
      struct_field: structField,
    })),
  )
  return {
    numbers,
    columnsOf: (field: Field) => {
      const fieldColumns = byNumber.get(numbers.of(field))
      if (fieldColumns === undefined) throw new Error(`no columns for field ${field.property}`)
      return fieldColumns
    },
    textFields: textFieldsOf(objectType),
    isGeoPoint: (field) => isGeoPoint(objectType, field),
  }
}
