/** The fields of object types as tables of SQLite store them. */
import { INDEXED_STRUCT_FIELDS_MAX } from '../../../contract/limits.ts'
import {
  type FieldTypes,
  isStructColumn,
  readFields,
  readTableFields,
} from '../../core/catalogue/fields.ts'
import { integer, type Operation, type ReadSession } from '../../core/session/session.ts'
import { FieldNumbers, INDEXED_TIME, type StoredField } from '../../sql/compile/field-numbers.ts'
import { runIn, type SqliteSession } from '../file/sqlite-session.ts'
import { readTableLayout, type TableLayout } from './table-layout.ts'

/** A connection on which operations run. */
export interface HasSession {
  readonly session: SqliteSession
}

/** A column can hold values of any type; timestamps have a second one for their index. */
export const FIELD_TYPES: FieldTypes<string> = {
  columnType: (type) => (type === 'timestamp' ? INDEXED_TIME : 'any'),
  presence: 'any',
  /**
   * A struct field gets a column as long as there are few in the store; the values of others are
   * stored like those of arrays.
   */
  *limitColumns(session, fields) {
    let free = fields.some(isStructColumn) ? yield* freeStructColumns(session) : 0
    return fields.map((field) => {
      if (!isStructColumn(field)) return field
      free -= 1
      return free < 0 ? { ...field, valueType: undefined } : field
    })
  },
}

/** Returns how many more struct fields can have a column. */
function* freeStructColumns(session: ReadSession): Operation<number> {
  const row = yield* session.find(
    'SELECT coalesce(sum(struct_columns), 0) FROM oqs_field_list WHERE struct_columns > 0',
    [],
    { count: integer },
  )
  return INDEXED_STRUCT_FIELDS_MAX - (row?.count ?? 0)
}

/** The fields of a type as one of its tables stores them. */
export class TableFields extends FieldNumbers {
  readonly layout: TableLayout
  readonly #fields: readonly StoredField[]

  constructor(fields: readonly StoredField[], layout: TableLayout) {
    super(fields, layout.prefixFields)
    this.#fields = fields
    this.layout = layout
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
export function fieldsOfTable(
  connection: HasSession,
  table: { readonly typeId: number; readonly id: number },
): TableFields {
  const layout = readTableLayout(connection, table.id)
  return new TableFields(
    runIn(connection, (session) => readTableFields(session, table)).fields,
    layout,
  )
}
