/** The indexes of the tables of an object type. */
import { fieldKey } from '../../../ontology/values/searchable-values.ts'
import type { Index, TableLayout } from '../../core/catalogue/build-table.ts'
import { addedIndex, CLOSED_INDEX } from '../../core/catalogue/version-indexes.ts'
import { columnOf, type PrefixFields } from '../../sql/compile/field-numbers.ts'
import { prefixSql } from '../../sql/compile/property-sql.ts'
import {
  elementColumnOf,
  elementFieldsOf,
  type FieldColumns,
  valueFieldsOf,
} from './field-columns.ts'
import { OBJECT_ID_INDEX } from './object-id-index.ts'

function indexOn(table: string, name: string, what: string): Index {
  return { name: `${table}_${name}`, sql: `CREATE INDEX ${table}_${name} ON ${table} ${what}` }
}

/** How the name of the index of texts ends. */
export const TEXT_INDEX = 'lexemes'

/** The indexes that are not needed before the table is read. */
export function deferredIndexes(
  table: string,
  fields: readonly FieldColumns[],
  layout: TableLayout,
): Index[] {
  const index = (name: string, what: string) => indexOn(table, name, what)
  const indexed = fields.filter((field) => !layout.unindexedFields.has(fieldKey(field)))
  return [
    index('added', addedIndex(layout)),
    index('closed', CLOSED_INDEX),
    // For object sets that list RIDs.
    index('object_id', `(${OBJECT_ID_INDEX})`),
    index(TEXT_INDEX, 'USING gin (lexemes) WHERE lexemes IS NOT NULL'),
    index('area', 'USING gist (area) WHERE area IS NOT NULL'),
    ...valueFieldsOf(indexed).map((field) => valueIndex(table, field, layout.prefixFields)),
    // B-trees and GIN indexes cannot hold long texts.
    ...elementFieldsOf(indexed)
      .filter(({ hasLongText }) => !hasLongText)
      .map(({ number }) => elementColumnOf(number))
      .map((elements) => index(elements, `USING gin (${elements})`)),
  ]
}

/** The index of a property includes the key, so that rows with equal values are walked in key order. */
function valueIndex(table: string, field: FieldColumns, prefixFields: PrefixFields): Index {
  const { number, valueType } = field
  const column = columnOf(number)
  // The column only says that there is a value: queries find the objects without one.
  if (valueType === 'smallint') return indexOn(table, column, `(pk) WHERE ${column} IS NULL`)
  return prefixFields.has(fieldKey(field))
    ? indexOn(table, `${column}_prefix`, `(${prefixSql(column)}, pk)`)
    : indexOn(table, column, `(${column}, pk)`)
}
