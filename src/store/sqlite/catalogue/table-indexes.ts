/** The indexes of the tables of an object type. */
import type { DatabaseSync } from 'node:sqlite'
import { type FieldId, fieldKey } from '../../../ontology/values/searchable-values.ts'
import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import { KEY_COLUMN, microsecondsSql, type PropertySql } from '../../sql/compile/property-sql.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { fieldsOfTable, type TableFields } from './table-fields.ts'
import {
  INDEXED_VALID_TO,
  indexedObjectId,
  objectIdIndexes,
  type TableLayout,
} from './table-layout.ts'

interface Index {
  readonly name: string
  readonly on: string
}

function indexSql({ name, on }: Index): string {
  return `CREATE INDEX IF NOT EXISTS ${name} ON ${on}`
}

/** The indexes that are not needed before the table is read. */
function deferredIndexes(table: string, fields: TableFields): Index[] {
  return [
    // For walks as of a version: rows that are not visible are skipped without reading them.
    { name: versionIndex(table), on: `${table} (pk, valid_from, ${INDEXED_VALID_TO})` },
    // For reclaim.
    { name: `${table}_closed`, on: `${table} (valid_to) WHERE valid_to < ${NEVER_CLOSED}` },
    ...indexesOfIds(table, fields.layout),
    ...propertyColumns(fields).map((property) => propertyIndex(table, property)),
  ]
}

/** Returns the properties and struct fields of a table that have a column. */
export function propertyColumns(fields: TableFields): PropertySql[] {
  return fields.columns
    .map(({ property, structField }) => fields.propertySql(property, structField))
    .filter(({ value }) => value !== KEY_COLUMN)
}

/** Returns the name of a property's column. */
export function columnName({ value }: PropertySql): string {
  return value.replace('o.', '')
}

/** Returns the names of a property's columns: that of its value, and that of its time, if any. */
export function columnNames(property: PropertySql): readonly [value: string, time?: string] {
  const column = columnName(property)
  return property.form === 'time' ? [column, property.indexed.replace('o.', '')] : [column]
}

/** Returns the definitions of a property's columns. Rows do not contain the time. */
export function columnDefinitions(property: PropertySql): readonly string[] {
  const [column, time] = columnNames(property)
  if (time === undefined) return [`${column} ANY`]
  return [`${column} ANY`, `${time} INTEGER AS (${microsecondsSql(column)}) VIRTUAL`]
}

/** Returns the name of the index that walks as of a version use. */
export function versionIndex(table: string): string {
  return `${table}_version`
}

/** For object sets that list RIDs. */
function indexesOfIds(table: string, layout: TableLayout): Index[] {
  const indexed = `${table} (${indexedObjectId('object_id')})`
  return objectIdIndexes(layout).map(({ name, where }) => ({
    name: `${table}_${name}`,
    on: `${indexed} WHERE ${where}`,
  }))
}

/** Includes the key, so that rows with equal values are walked in key order. */
function propertyIndex(table: string, property: PropertySql): Index {
  const { indexed, suffix } = property
  const columns = suffix === undefined ? [indexed, KEY_COLUMN] : [indexed, suffix, KEY_COLUMN]
  const on = `${table} (${columns.map((column) => column.replace('o.', '')).join(', ')})`
  return { name: propertyIndexName(table, property), on }
}

/** Returns the name of the index of a property. */
export function propertyIndexName(table: string, property: PropertySql): string {
  if (property.value === KEY_COLUMN) return versionIndex(table)
  return `${table}_${columnName(property)}${SUFFIXES[property.form]}`
}

const SUFFIXES = { value: '', prefix: '_prefix', time: '_time' } as const

/** Adds the index of a property to a table. */
export function addPropertyIndex(db: DatabaseSync, id: number, property: PropertySql): void {
  db.exec(indexSql(propertyIndex(objectTable(id), property)))
}

/** Builds one missing index of a loaded table. Returns false if there is none. */
export function buildNextIndex(db: WriterDatabase, typeId: number, id: number): boolean {
  const missing = findMissingIndex(db, typeId, id)
  if (missing === undefined) return false
  db.exec(indexSql(missing))
  return true
}

export function hasMissingIndex(db: WriterDatabase, typeId: number, id: number): boolean {
  return findMissingIndex(db, typeId, id) !== undefined
}

function findMissingIndex(db: WriterDatabase, typeId: number, id: number): Index | undefined {
  const table = objectTable(id)
  const existing = indexNames(db, table)
  return deferredIndexes(table, fieldsOfTable(db, { typeId, id })).find(
    ({ name }) => !existing.has(name),
  )
}

/** Below this many rows, starting a thread costs more than it saves. */
const MANY_ROWS = 100_000
/** SQLite hands the rows of an index to the thread in portions of this size. */
const SORTED_KIB = 2048

/**
 * Runs a function that builds an index of a table, and sorts the entries of many rows in a second
 * thread, while this one reads rows and writes the index.
 */
export function withSortingThread<T>(db: DatabaseSync, rows: number, build: () => T): T {
  if (rows < MANY_ROWS) return build()
  const settings = db
    .prepare('SELECT threads, cache_size FROM pragma_threads, pragma_cache_size')
    .get()
  // SQLite has no setting of its own for the size of a portion: it is that of the page cache.
  db.exec(`PRAGMA threads = 1; PRAGMA cache_size = -${SORTED_KIB}`)
  try {
    return build()
  } finally {
    db.exec(
      `PRAGMA threads = ${settings?.['threads']}; PRAGMA cache_size = ${settings?.['cache_size']}`,
    )
  }
}

/** Builds all missing indexes of a table, within the transaction that wrote its rows. */
export function buildIndexes(db: WriterDatabase, typeId: number, id: number): void {
  const indexes = deferredIndexes(objectTable(id), fieldsOfTable(db, { typeId, id }))
  db.exec(indexes.map(indexSql).join(';\n'))
}

/** Records the last version of a table whose indexes are built, see `TableLayout.indexedVersion`. */
export function noteIndexedVersion(db: DatabaseSync, id: number, version: number): void {
  db.prepare('UPDATE oqs_object_table SET indexed_version = ? WHERE id = ?').run(version, id)
}

/**
 * Records that a table has its first long texts in some fields, and replaces their indexes. An
 * index that is not built yet is left to `buildIndexes`.
 */
export function addLongTexts(
  db: WriterDatabase,
  { typeId, table: id }: { readonly typeId: number; readonly table: number },
  fields: readonly FieldId[],
): void {
  const table = objectTable(id)
  const before = fieldsOfTable(db, { typeId, id })
  const prefixFields = new Set([...before.layout.prefixFields, ...fields.map(fieldKey)])
  db.prepare('UPDATE oqs_object_table SET prefix_fields = ? WHERE id = ?').run(
    JSON.stringify([...prefixFields]),
    id,
  )
  const after = before.inLayout({ ...before.layout, prefixFields })
  const existing = indexNames(db, table)
  for (const { property, structField } of fields) {
    const name = propertyIndexName(table, before.propertySql(property, structField))
    if (!existing.has(name)) continue
    db.exec(`DROP INDEX ${name}`)
    addPropertyIndex(db, id, after.propertySql(property, structField))
  }
}

/** The schema table has no index, so it is scanned once and not once per name. */
export function indexNames(db: DatabaseSync, table: string): ReadonlySet<string> {
  const rows = db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?`)
    .all(table)
  return new Set(rows.map(({ name }) => String(name)))
}
