import type { DatabaseSync } from 'node:sqlite'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { FieldNumbers, type FieldRow } from '../../sql/field-numbers.ts'

export function readFieldNumbers(db: DatabaseSync, typeId: number): FieldNumbers {
  const rows = db
    .prepare(
      'SELECT number, property, struct_field FROM object_field WHERE object_type_id = ? ORDER BY number',
    )
    .all(typeId)
  return new FieldNumbers(rows as unknown as FieldRow[])
}

/** Returns the fields of a type as the catalogue has them now. */
export function readFields(db: DatabaseSync, { rid }: ObjectType): readonly FieldRow[] {
  const rows = db
    .prepare(
      `SELECT number, property, struct_field FROM object_field
       WHERE object_type_id = (SELECT id FROM object_type WHERE rid = ?)`,
    )
    .all(rid)
  return rows.map((row) => ({ ...row })) as unknown as readonly FieldRow[]
}
