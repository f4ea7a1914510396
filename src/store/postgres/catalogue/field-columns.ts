/** The columns of each field of an object type in PostgreSQL. */
import {
  type FieldList,
  type FieldOwner,
  type FieldTypes,
  numberFields as numberFieldsIn,
  readFields,
  readTableFields as readTableFieldsIn,
} from '../../core/catalogue/fields.ts'
import { settled } from '../../core/session/session.ts'
import type { StoredField } from '../../sql/compile/field-numbers.ts'
import type { Session, WriteSession } from '../driver/database.ts'
import { readIn, runIn } from '../driver/postgres-session.ts'
import { type ColumnType, columnType } from './column-codec.ts'

/** A property or a struct field, with the types of its value column and of its array column. */
export type FieldColumns = StoredField<ColumnType>

const FIELD_TYPES: FieldTypes<ColumnType> = {
  columnType,
  presence: 'smallint',
  // The number of columns is checked as a whole, see `refuseTooManyColumns`.
  limitColumns: (_session, fields) => settled(fields),
}

/** Returns the name of the array column of a field; `columnOf` names the value column. */
export function elementColumnOf(number: number): string {
  if (!Number.isSafeInteger(number)) throw new Error(`not a field number: ${number}`)
  return `e${number}`
}

export function numberFields(
  session: WriteSession,
  owners: readonly FieldOwner[],
): Promise<readonly (readonly FieldColumns[])[]> {
  return runIn(session, (core) => numberFieldsIn(core, FIELD_TYPES, owners))
}

export function readFieldColumns(
  session: Session,
  typeId: number,
): Promise<readonly FieldColumns[]> {
  return readIn(session, (core) => readFields<ColumnType>(core, typeId))
}

export function readTableFields(
  session: Session,
  typeId: number,
  id: number,
): Promise<FieldList<ColumnType>> {
  return readIn(session, (core) => readTableFieldsIn<ColumnType>(core, { typeId, id }))
}
