/**
 * The tables of an object type. A row is one version of one object, valid from commit `valid_from`
 * until commit `valid_to`; `valid_to` of a current row is `NEVER_CLOSED`. Each property has a column in the
 * form that conditions compare, except for a key property whose value is the key; fields with any
 * number of values have an array column.
 *
 * A type has one table. A replacement is loaded into a new one, and the old one remains until its
 * versions expire. See docs/decisions/008-replacements.md.
 */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { TableDialect } from '../../core/catalogue/build-table.ts'
import { NEVER_CLOSED } from '../../core/catalogue/object-tables.ts'
import { type CoreSession, integer, type Operation, settled } from '../../core/session/session.ts'
import { columnOf, type NewField } from '../../sql/compile/field-numbers.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import { distributeLarge } from '../citus/distribution.ts'
import { type ColumnType, columnType } from './column-codec.ts'
import {
  elementColumnOf,
  elementFieldsOf,
  type FieldColumns,
  valueFieldsOf,
} from './field-columns.ts'
import { deferredIndexes } from './table-indexes.ts'

/** Returns how object tables are built in a database with these capabilities. */
export function objectTablesOf(capabilities: Capabilities): TableDialect<ColumnType> {
  return {
    columnType,
    presence: 'smallint',
    // The number of columns is checked as a whole.
    limitColumns: (_session, fields) => settled(fields),
    refuseFields: refuseTooManyColumns,
    refuseTooManyIndexes: () => settled(undefined),
    tableSql,
    *create(session, table, columns) {
      yield* dropLeftover(session, table)
      yield* session.execute(tableSql(table, columns))
      if (capabilities.isDistributed) yield* distributeLarge(session, table)
      // For walks over the current objects; also guarantees one current row per object.
      yield* session.execute(
        `CREATE UNIQUE INDEX ${table}_current ON ${table} (pk) WHERE valid_to = ${NEVER_CLOSED}`,
      )
    },
    columnsOf: columnDefinitions,
    indexesOf: deferredIndexes,
    buildIndex: (session, { sql }) => session.execute(sql),
  }
}

/** Citus requires that every unique key of a distributed table contains pk. */
function tableSql(table: string, columns: readonly string[]): string {
  return `
    CREATE TABLE ${table} (
      pk text COLLATE "C" NOT NULL,
      valid_from bigint NOT NULL,
      valid_to bigint NOT NULL DEFAULT ${NEVER_CLOSED},
      object_id text NOT NULL,
      key text NOT NULL,
      title text,
      body text NOT NULL,
      words text,
      lexemes tsvector,
      area box,
      checksum integer NOT NULL${columns.map((column) => `, ${column}`).join('')},
      PRIMARY KEY (pk, valid_from)
    )`
}

/**
 * Drops a leftover table with the name of the one to be created. It remains if the catalogue was
 * restored to a state from before its creation. Only the schema in which the new table is created is
 * searched: a table of this name in another schema belongs to something else.
 */
function* dropLeftover(session: CoreSession, table: string): Operation<void> {
  const leftover = yield* session.find(
    `SELECT 1 FROM pg_class WHERE relname = ? AND relkind IN ('r', 'p')
     AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`,
    [table],
    { found: integer },
  )
  if (leftover !== undefined) yield* session.execute(`DROP TABLE ${table}`)
}

/** The columns that every table has, and the limit of PostgreSQL. */
const FIXED_COLUMNS = 11
const MAX_COLUMNS = 1600

function refuseTooManyColumns(
  { apiName }: ObjectType,
  fields: readonly NewField<ColumnType>[],
): void {
  const count = valueFieldsOf(fields).length + elementFieldsOf(fields).length
  const max = MAX_COLUMNS - FIXED_COLUMNS
  if (count <= max) return
  const reason = `need ${count} columns, and PostgreSQL allows ${max}: an array takes two, a struct field one`
  throw new ObjectQueryError('InvalidOntologyDefinition', {
    mistakes: [{ path: `objectTypes.${apiName}.properties`, reason }],
  })
}

function columnDefinitions(fields: readonly FieldColumns[]): string[] {
  return [
    ...valueFieldsOf(fields).map(
      ({ number, valueType = 'text' }) => `${columnOf(number)} ${collated(valueType)}`,
    ),
    ...elementFieldsOf(fields).map(
      ({ number, elementType }) =>
        `${elementColumnOf(number)} ${elementType}[]${elementType === 'text' ? COLLATE_C : ''}`,
    ),
  ]
}

/** Sorts text by code point. */
const COLLATE_C = ' COLLATE "C"'

function collated(type: string): string {
  return type === 'text' ? `${type}${COLLATE_C}` : type
}
