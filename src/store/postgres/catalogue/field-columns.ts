/** The columns of each field of an object type in PostgreSQL. */
import { LRUCache } from 'lru-cache'
import { readFields } from '../../core/catalogue/fields.ts'
import type { NewField, StoredField } from '../../sql/compile/field-numbers.ts'
import type { Session } from '../driver/database.ts'
import { readIn } from '../driver/postgres-session.ts'
import type { ColumnType } from './column-codec.ts'

/** A property or a struct field, with the types of its value column and of its array column. */
export type FieldColumns = StoredField<ColumnType>

/** Returns the name of the array column of a field; `columnOf` names the value column. */
export function elementColumnOf(number: number): string {
  if (!Number.isSafeInteger(number)) throw new Error(`not a field number: ${number}`)
  return `e${number}`
}

/** Returns the fields that have a value column. */
export function valueFieldsOf<Field extends NewField>(fields: readonly Field[]): Field[] {
  return fields.filter(({ valueType, isKey }) => valueType !== undefined && !isKey)
}

/** Returns the fields that have an array column. */
export function elementFieldsOf<Field extends NewField>(fields: readonly Field[]): Field[] {
  return fields.filter(({ elementType }) => elementType !== undefined)
}

/** A type, as of the generation in which its definition last changed. */
interface TypeGeneration {
  readonly id: number
  readonly generation: number
}

/** Keeps the fields of types, which change only with their definitions, to save a round trip. */
export class KnownFieldColumns {
  readonly #known = new LRUCache<number, readonly [generation: number, readonly FieldColumns[]]>({
    max: 1000,
  })

  /** The transaction must not have changed the definition itself. */
  async read(
    session: Session,
    { id, generation }: TypeGeneration,
  ): Promise<readonly FieldColumns[]> {
    const known = this.#known.get(id)
    if (known?.[0] === generation) return known[1]
    const fields = await readFieldColumns(session, id)
    this.#known.set(id, [generation, fields])
    return fields
  }
}

export function readFieldColumns(
  session: Session,
  typeId: number,
): Promise<readonly FieldColumns[]> {
  return readIn(session, (core) => readFields<ColumnType>(core, typeId))
}
