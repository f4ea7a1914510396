/** The indexes of the tables of an object type. */
import { fieldKey } from '../../../ontology/values/searchable-values.ts'
import { NEVER_CLOSED } from '../../core/catalogue/object-tables.ts'
import { columnOf } from '../../sql/compile/field-numbers.ts'
import { prefixSql } from '../../sql/compile/property-sql.ts'
import { elementColumnOf, type FieldColumns } from './field-columns.ts'
import { OBJECT_ID_INDEX } from './object-id-index.ts'
import type { TableLayout } from './table-layout.ts'

export interface Index {
  readonly name: string
  readonly sql: string
}

export interface IndexedTable extends TableLayout {
  /** The name of the table. */
  readonly name: string
  /** Whether the rows of a commit are counted before it is published. */
  readonly countsCommits: boolean
}

function indexOn(table: string, name: string, what: string): Index {
  return { name: `${table}_${name}`, sql: `CREATE INDEX ${table}_${name} ON ${table} ${what}` }
}

/** The indexes that are not needed before the table is read. */
export function deferredIndexes(table: IndexedTable, fields: readonly FieldColumns[]): Index[] {
  const index = (name: string, what: string) => indexOn(table.name, name, what)
  return [
    ...(table.countsCommits ? [index('written', '(valid_from)')] : []),
    // For reclaim, and for counting the rows of a commit.
    index('closed', `(valid_to) WHERE valid_to < ${NEVER_CLOSED}`),
    // For object sets that list RIDs.
    index('object_id', `(${OBJECT_ID_INDEX})`),
    index('lexemes', 'USING gin (lexemes) WHERE lexemes IS NOT NULL'),
    index('area', 'USING gist (area) WHERE area IS NOT NULL'),
    ...fields.flatMap((field) => fieldIndexes(table, field)),
  ]
}

/** The indexes of a field. B-trees and GIN indexes cannot hold long texts. */
export function fieldIndexes(
  table: Pick<IndexedTable, 'name' | keyof TableLayout>,
  field: FieldColumns,
): Index[] {
  const { number, valueType, elementType, hasLongText } = field
  const elements = elementColumnOf(number)
  return [
    ...(valueType === undefined ? [] : valueIndexes(table, field)),
    ...(elementType === undefined || hasLongText
      ? []
      : [indexOn(table.name, elements, `USING gin (${elements})`)]),
  ]
}

/** The index of a property includes the key, so that rows with equal values are walked in key order. */
function valueIndexes(
  { name: table, prefixFields }: Pick<IndexedTable, 'name' | keyof TableLayout>,
  field: FieldColumns,
): Index[] {
  const { number, valueType, isKey } = field
  if (isKey) return []
  const column = columnOf(number)
  // The column only says that there is a value: queries find the objects without one.
  if (valueType === 'smallint') return [indexOn(table, column, `(pk) WHERE ${column} IS NULL`)]
  return prefixFields.has(fieldKey(field))
    ? [indexOn(table, `${column}_prefix`, `(${prefixSql(column)}, pk)`)]
    : [indexOn(table, column, `(${column}, pk)`)]
}
