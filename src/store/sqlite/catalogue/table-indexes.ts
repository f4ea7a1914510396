/** The indexes of the tables of an object type. */
import type { DatabaseSync } from 'node:sqlite'
import type { FieldId } from '../../../ontology/values/searchable-values.ts'
import type { Index, TableLayout } from '../../core/catalogue/build-table.ts'
import { addedIndex, CLOSED_INDEX } from '../../core/catalogue/version-indexes.ts'
import type { StoredField } from '../../sql/compile/field-numbers.ts'
import { KEY_COLUMN, type PropertySql } from '../../sql/compile/property-sql.ts'
import type { TableFields } from './table-fields.ts'
import { INDEXED_VALID_TO, indexedObjectId, objectIdIndexes } from './table-layout.ts'

function indexOn(name: string, on: string): Index {
  return { name, sql: `CREATE INDEX ${name} ON ${on}` }
}

/** The indexes that are not needed before the table is read. */
export function deferredIndexes(table: string, fields: TableFields): Index[] {
  return [
    // For walks as of a version: rows that are not visible are skipped without reading them.
    indexOn(versionIndex(table), `${table} (pk, valid_from, ${INDEXED_VALID_TO})`),
    indexOn(`${table}_added`, `${table} ${addedIndex(fields.layout)}`),
    indexOn(`${table}_closed`, `${table} ${CLOSED_INDEX}`),
    ...indexesOfIds(table, fields.layout),
    ...columnFields(fields)
      .filter((field) => fields.isIndexed(field))
      .map((field) => propertyIndex(table, propertyOf(fields, field))),
  ]
}

/** Returns the properties and struct fields of a table that have a column of their own. */
function columnFields(fields: TableFields): StoredField[] {
  return fields.columns.filter(({ isKey }) => !isKey)
}

function propertyOf(fields: TableFields, { property, structField }: FieldId): PropertySql {
  return fields.propertySql(property, structField)
}

/** Returns the name of the column in which rows have a property: of a timestamp, the integer. */
export function storedColumn({ form, value, indexed }: PropertySql): string {
  return (form === 'time' ? indexed : value).replace('o.', '')
}

/**
 * Returns the definitions of the columns of a table. What is derived from them is no generated
 * column, because SQLite would compute it whenever it writes a row.
 */
export function columnDefinitions(fields: TableFields): readonly string[] {
  return columnFields(fields).flatMap((field) => {
    if (fields.isInBody(field)) return []
    const property = propertyOf(fields, field)
    return [`${storedColumn(property)} ${property.form === 'time' ? 'INTEGER' : 'ANY'}`]
  })
}

/** Returns the name of the index that walks as of a version use. */
export function versionIndex(table: string): string {
  return `${table}_version`
}

/** For object sets that list RIDs. */
function indexesOfIds(table: string, layout: TableLayout): Index[] {
  const indexed = `${table} (${indexedObjectId('object_id')})`
  return objectIdIndexes(layout).map(({ name, where }) =>
    indexOn(`${table}_${name}`, `${indexed} WHERE ${where}`),
  )
}

/** Includes the key, so that rows with equal values are walked in key order. */
function propertyIndex(table: string, property: PropertySql): Index {
  const { indexed, suffix } = property
  const columns = suffix === undefined ? [indexed, KEY_COLUMN] : [indexed, suffix, KEY_COLUMN]
  const on = `${table} (${columns.map((column) => column.replace('o.', '')).join(', ')})`
  return indexOn(propertyIndexName(table, property), on)
}

/** Returns the name of the index of a property. */
export function propertyIndexName(table: string, property: PropertySql): string {
  if (property.value === KEY_COLUMN) return versionIndex(table)
  const column = storedColumn(property)
  switch (property.form) {
    case 'value':
      return `${table}_${column}`
    case 'prefix':
      return `${table}_${column}_prefix`
    case 'time':
      return `${table}_${column.replace('t', 'p')}_time`
  }
}

/** Records the last version of a table whose indexes are built, see `TableLayout.indexedVersion`. */
export function noteIndexedVersion(db: DatabaseSync, id: number, version: number): void {
  db.prepare('UPDATE oqs_object_table SET indexed_version = ? WHERE id = ?').run(version, id)
}

/** The schema table has no index, so it is scanned once and not once per name. */
export function indexNames(db: DatabaseSync, table: string): ReadonlySet<string> {
  const rows = db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?`)
    .all(table)
  return new Set(rows.map(({ name }) => String(name)))
}
