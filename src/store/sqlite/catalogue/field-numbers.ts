import type { ObjectType } from '../../../ontology/ontology.ts'
import { FieldNumbers, type FieldRow } from '../../sql/field-numbers.ts'
import type { Prepares } from '../file/statement-cache.ts'
import { readTableLayout, type TableLayout } from './table-layout.ts'

/** The fields of a type as one of its tables stores them. */
export class TableFields extends FieldNumbers {
  readonly layout: TableLayout
  readonly #rows: readonly FieldRow[]

  constructor(rows: readonly FieldRow[], layout: TableLayout) {
    super(rows, layout)
    this.#rows = rows
    this.layout = layout
  }

  /** Returns the same fields as another table stores them. */
  inLayout(layout: TableLayout): TableFields {
    return new TableFields(this.#rows, layout)
  }
}

export function readTableFields(db: Prepares, typeId: number, layout: TableLayout): TableFields {
  return new TableFields(readFieldRows(db, typeId), layout)
}

/**
 * Returns the fields of a table for a writer. A table whose objects are converted to another
 * definition has fields of its own until it is published.
 */
export function readFieldsOfTable(
  db: Prepares,
  { typeId, id }: { readonly typeId: number; readonly id: number },
  layout = readTableLayout(db, id),
): TableFields {
  const rows = db
    .prepare(
      `SELECT number, property, struct_field FROM oqs_table_field WHERE table_id = ?1
       UNION ALL SELECT number, property, struct_field FROM oqs_object_field
       WHERE object_type_id = ?2 AND NOT EXISTS (SELECT 1 FROM oqs_table_field WHERE table_id = ?1)
       ORDER BY number`,
    )
    .all(id, typeId)
  return new TableFields(rows as unknown as FieldRow[], layout)
}

/** Returns the numbers of the fields of a type, which are the same in all its tables. */
export function readFieldNumbers(db: Prepares, typeId: number): FieldNumbers {
  return new FieldNumbers(readFieldRows(db, typeId))
}

function readFieldRows(db: Prepares, typeId: number): FieldRow[] {
  const rows = db
    .prepare(
      'SELECT number, property, struct_field FROM oqs_object_field WHERE object_type_id = ? ORDER BY number',
    )
    .all(typeId)
  return rows as unknown as FieldRow[]
}

/** Returns the fields of a type as the catalogue has them now. */
export function readFields(db: Prepares, { rid }: ObjectType): readonly FieldRow[] {
  const rows = db
    .prepare(
      `SELECT number, property, struct_field FROM oqs_object_field
       WHERE object_type_id = (SELECT id FROM oqs_object_type WHERE rid = ?)`,
    )
    .all(rid)
  return rows.map((row) => ({ ...row })) as unknown as readonly FieldRow[]
}
