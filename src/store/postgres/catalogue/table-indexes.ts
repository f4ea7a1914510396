/** The indexes of the tables of an object type. */
import { columnOf } from '../../sql/field-numbers.ts'
import { OPEN } from '../../sql/new-table.ts'
import { elementColumnOf, type FieldColumns } from './field-columns.ts'

interface Index {
  readonly name: string
  readonly sql: string
}

/** The indexes that are not needed before the table is read. */
export function deferredIndexes(table: string, fields: readonly FieldColumns[]): Index[] {
  const index = (name: string, what: string) => ({
    name: `${table}_${name}`,
    sql: `CREATE INDEX ${table}_${name} ON ${table} ${what}`,
  })
  return [
    // For counting the rows of a commit, and for reclaim.
    index('written', '(valid_from)'),
    index('closed', `(valid_to) WHERE valid_to < ${OPEN}`),
    // For object sets that list RIDs.
    index('object_id', '(object_id)'),
    index('lexemes', 'USING gin (lexemes)'),
    // The few texts with more terms than a tsvector can hold.
    index('long', '(pk) WHERE words IS NOT NULL AND lexemes IS NULL'),
    index('area', 'USING gist (area)'),
    ...fields.flatMap((field) => fieldIndexes(table, field)),
  ]
}

/**
 * The index of a property includes the key, so that rows with equal values are walked in key order.
 * B-trees cannot hold long texts: a property with one gets a hash index, which supports lookups only.
 */
export function fieldIndexes(table: string, field: FieldColumns): Index[] {
  const { number, valueType, elementType, hasLongText } = field
  const column = columnOf(number)
  const elements = elementColumnOf(number)
  const indexes: Index[] = []
  if (valueType !== undefined) {
    const [name, what] = hasLongText
      ? [`${table}_${column}_hash`, `USING hash (${column})`]
      : [`${table}_${column}`, `(${column}, pk)`]
    indexes.push({ name, sql: `CREATE INDEX ${name} ON ${table} ${what}` })
  }
  if (elementType !== undefined && !hasLongText) {
    const name = `${table}_${elements}`
    indexes.push({ name, sql: `CREATE INDEX ${name} ON ${table} USING gin (${elements})` })
  }
  return indexes
}
