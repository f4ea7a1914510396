/** How a table stores its rows, see docs/decisions/016-smaller-tables.md. */
import type { TableLayout } from '../../core/catalogue/build-table.ts'
import {
  prefixFields as toPrefixFields,
  unindexedFields as toUnindexedFields,
} from '../../core/catalogue/fields.ts'
import { NEVER_CLOSED } from '../../core/catalogue/object-tables.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'

/** The columns of `oqs_object_table` that describe its layout, in the order of `LayoutRow`. */
export const LAYOUT_COLUMNS = 'prefix_fields, unindexed_fields, indexed_version'

export type LayoutRow = readonly [
  prefixFields: string,
  unindexedFields: string,
  indexedVersion: number,
]

export function toTableLayout([prefixes, unindexed, indexedVersion]: LayoutRow): TableLayout {
  return {
    prefixFields: toPrefixFields(prefixes),
    unindexedFields: toUnindexedFields(unindexed),
    indexedVersion,
  }
}

export interface ObjectIdIndex {
  readonly name: 'object_id' | 'later_object_id'
  /** The condition on its rows. */
  readonly where: string
}

/**
 * Returns the indexes of object ids. Ids are random, so new rows would change every page of an index
 * of many ids; therefore rows of versions after the last load have an index of their own.
 */
export function objectIdIndexes({ indexedVersion }: TableLayout): readonly ObjectIdIndex[] {
  return [
    { name: 'object_id', where: `valid_from <= ${indexedVersion}` },
    { name: 'later_object_id', where: `valid_from > ${indexedVersion}` },
  ]
}

/** Returns the expression that the indexes of object ids hold. */
export function indexedObjectId(id: string): string {
  // The first 32 bits, which few ids share.
  return `unhex(substr(${id}, 1, 8))`
}

interface ObjectIdSearch {
  readonly table: string
  readonly layout: TableLayout
  /** The columns of the rows to select. */
  readonly columns: readonly string[]
  /** The ids, as a JSON array. */
  readonly list: string
}

/**
 * Selects the rows whose object id is in a list. There is a query for each index, because SQLite uses
 * a partial index only if the query repeats its condition.
 */
export function selectByObjectId({ table, layout, columns, list }: ObjectIdSearch): SqlCondition {
  // Not `o`: conditions on linked rows rename that, see linked-sql.ts.
  const selected = columns.map((column) => `stored.${column}`).join()
  const [own, listed] = ['stored.object_id', 'listed.value'].map(indexedObjectId)
  const queries = objectIdIndexes(layout).map(({ where }) => {
    return `SELECT ${selected} FROM json_each(?) AS listed CROSS JOIN ${table} AS stored
      ON ${where} AND ${own} = ${listed} AND stored.object_id = listed.value`
  })
  return { sql: queries.join(' UNION ALL '), values: queries.map(() => list) }
}

/**
 * What the index of versions holds of `valid_to`. Nulls take no space, and most rows are current.
 */
export const INDEXED_VALID_TO = `nullif(valid_to, ${NEVER_CLOSED})`

/** Selects the rows that are visible at a version, by the index of versions alone. */
export const VISIBLE_AT_VERSION = `valid_from <= ? AND coalesce(${INDEXED_VALID_TO}, ${NEVER_CLOSED}) > ?`
