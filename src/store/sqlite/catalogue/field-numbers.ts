import type { DatabaseSync } from 'node:sqlite'
import { FieldNumbers, type FieldRow } from '../../sql/field-numbers.ts'

export function readFieldNumbers(db: DatabaseSync, typeId: number): FieldNumbers {
  const rows = db
    .prepare(
      'SELECT number, property, struct_field FROM object_field WHERE object_type_id = ? ORDER BY number',
    )
    .all(typeId)
  return new FieldNumbers(rows as unknown as FieldRow[])
}
