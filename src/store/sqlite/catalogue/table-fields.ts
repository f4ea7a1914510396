/** The fields of object types as tables of SQLite store them. */

import { type FieldId, fieldKey } from '../../../ontology/values/searchable-values.ts'
import {
  readBuiltTable,
  type TableLayout,
  type TableOfType,
} from '../../core/catalogue/build-table.ts'
import { readFields, readTableFields } from '../../core/catalogue/fields.ts'
import { FieldNumbers, type StoredField } from '../../sql/compile/field-numbers.ts'
import { runIn, type SqliteSession } from '../file/sqlite-session.ts'

/** A connection on which operations run. */
export interface HasSession {
  readonly session: SqliteSession
}

/** The fields of a type as one of its tables stores them. */
export class TableFields extends FieldNumbers {
  readonly layout: TableLayout
  readonly #fields: readonly StoredField[]

  constructor(fields: readonly StoredField[], layout: TableLayout) {
    super(fields, layout)
    this.#fields = fields
    this.layout = layout
  }

  /** True if an index holds the field, or the beginning of its texts. */
  isIndexed(field: FieldId): boolean {
    return !this.layout.unindexedFields.has(fieldKey(field))
  }

  /** Returns the same fields as another table stores them. */
  inLayout(layout: TableLayout): TableFields {
    return new TableFields(this.#fields, layout)
  }
}

/** Returns the fields of a type as a table with this layout stores them. */
export function fieldsInLayout(
  connection: HasSession,
  typeId: number,
  layout: TableLayout,
): TableFields {
  return new TableFields(
    runIn(connection, (session) => readFields(session, typeId)),
    layout,
  )
}

/** Returns the fields of a table for a writer. */
export function fieldsOfTable(connection: HasSession, table: TableOfType): TableFields {
  return runIn(connection, function* (session) {
    const layout = yield* readBuiltTable(session, table.id)
    return new TableFields((yield* readTableFields(session, table)).fields, layout)
  })
}
