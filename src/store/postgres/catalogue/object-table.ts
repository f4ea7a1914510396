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
import type { FieldOwner } from '../../core/catalogue/fields.ts'
import { prefixFields } from '../../core/catalogue/fields.ts'
import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import { columnOf, NO_PREFIX_FIELDS } from '../../sql/compile/field-numbers.ts'
import { type Capabilities, distributeTable } from '../citus/capabilities.ts'
import type { Session, WriteSession } from '../driver/database.ts'
import {
  elementColumnOf,
  type FieldColumns,
  numberFields,
  readFieldColumns,
  readTableFields,
} from './field-columns.ts'
import { deferredIndexes, fieldIndexes, type Index, type IndexedTable } from './table-indexes.ts'
import { elementFieldsOf, type TableLayout, valueFieldsOf } from './table-layout.ts'

/** The layout of a table that is about to be created. */
const NEW_LAYOUT: TableLayout = { prefixFields: NO_PREFIX_FIELDS }

interface NewObjectTable {
  readonly typeId: number
  readonly id: number
  /** Whether the table gets most of its indexes later, see `buildNextIndex`. */
  readonly isLoading: boolean
  /** The fields, if they are not those of the type. */
  readonly fields?: readonly FieldColumns[]
}

/**
 * Creates a table with the columns of all fields of its type, and returns its layout. The caller must
 * hold a lock of the type.
 */
export async function createObjectTable(
  session: WriteSession,
  capabilities: Capabilities,
  created: NewObjectTable,
): Promise<TableLayout> {
  const { typeId, id, isLoading } = created
  const table = objectTable(id)
  const fields = created.fields ?? (await readFieldColumns(session, typeId))
  await session.extendTimeout()
  await dropLeftover(session, table)
  // Citus requires that every unique key of a distributed table contains pk.
  await session.query(`
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
      checksum integer NOT NULL${columnDefinitions(fields)
        .map((definition) => `, ${definition}`)
        .join('')},
      PRIMARY KEY (pk, valid_from)
    )`)
  if (capabilities.isDistributed) await distributeTable(session, table)
  // For walks over the current objects; also guarantees one current row per object.
  await session.query(
    `CREATE UNIQUE INDEX ${table}_current ON ${table} (pk) WHERE valid_to = ${NEVER_CLOSED}`,
  )
  if (!isLoading) {
    const indexed = indexedTable({ id, ...NEW_LAYOUT }, capabilities)
    for (const { sql } of deferredIndexes(indexed, fields)) await session.query(sql)
  }
  await session.run('UPDATE oqs_object_table SET is_created = TRUE WHERE id = ?', [id])
  return NEW_LAYOUT
}

function indexedTable(
  { id, prefixFields }: TableLayout & { readonly id: number },
  { needsSeparatePublication: countsCommits }: Pick<Capabilities, 'needsSeparatePublication'>,
): IndexedTable {
  return { name: objectTable(id), prefixFields, countsCommits }
}

/**
 * Drops a leftover table with the name of the one to be created. It remains if the catalogue was
 * restored to a state from before its creation. Only the schema in which the new table is created is
 * searched: a table of this name in another schema belongs to something else.
 */
async function dropLeftover(session: WriteSession, table: string): Promise<void> {
  const leftover = await session.query(
    `SELECT 1 FROM pg_class WHERE relname = ? AND relkind IN ('r', 'p')
     AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`,
    [table],
  )
  if (leftover.length > 0) await session.query(`DROP TABLE ${table}`)
}

/** The columns that every table has, and the limit of PostgreSQL. */
const FIXED_COLUMNS = 11
const MAX_COLUMNS = 1600

/** Throws if a table cannot have these fields. */
function refuseTooManyColumns({ apiName }: ObjectType, fields: readonly FieldColumns[]): void {
  const count = columnDefinitions(fields).length
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

/** Builds one missing index of a loaded table. Returns false if there is none. */
export async function buildNextIndex(
  session: WriteSession,
  capabilities: Capabilities,
  typeId: number,
  table: TableLayout & { readonly id: number },
): Promise<boolean> {
  const missing = await findMissingIndex(session, capabilities, typeId, table)
  if (missing === undefined) return false
  await session.extendTimeout()
  await session.query(missing.sql)
  return true
}

/** Returns an index that a loaded table does not have yet. */
export async function findMissingIndex(
  session: WriteSession,
  capabilities: Capabilities,
  typeId: number,
  table: TableLayout & { readonly id: number },
): Promise<Index | undefined> {
  const { fields } = await readTableFields(session, typeId, table.id)
  const indexes = deferredIndexes(indexedTable(table, capabilities), fields)
  const rows = await session.query(
    'SELECT relname FROM pg_class WHERE relname = ANY(?) AND pg_table_is_visible(oid)',
    [indexes.map(({ name }) => name)],
  )
  return indexes.find(({ name }) => !rows.some(([existing]) => existing === name))
}

/** Numbers the new fields of types, or of tables. Throws if a table would have too many columns. */
export async function numberFieldsOf(
  session: WriteSession,
  owners: readonly FieldOwner[],
): Promise<readonly (readonly FieldColumns[])[]> {
  const added = await numberFields(session, owners)
  for (const [index, { type }] of owners.entries()) refuseTooManyColumns(type, added[index] ?? [])
  return added
}

/** Numbers new fields, and adds their columns and indexes to existing tables. */
export async function addFields(
  session: WriteSession,
  typeId: number,
  objectType: ObjectType,
): Promise<void> {
  const [added = []] = await numberFields(session, [{ typeId, type: objectType }])
  if (added.length > 0) refuseTooManyColumns(objectType, await readFieldColumns(session, typeId))
  await addColumns(session, typeId, added)
}

/** Adds the columns of new fields to existing tables, with their indexes. */
async function addColumns(
  session: WriteSession,
  typeId: number,
  fields: readonly FieldColumns[],
): Promise<void> {
  for (const { id, isPublished, ...layout } of await tablesOfDefinition(session, typeId)) {
    const definitions = columnDefinitions(fields)
    if (definitions.length === 0) return
    const table = objectTable(id)
    const additions = definitions.map((definition) => `ADD COLUMN ${definition}`)
    await session.query(`ALTER TABLE ${table} ${additions.join(', ')}`)
    if (!isPublished) continue
    for (const field of fields) {
      for (const { sql } of fieldIndexes({ name: table, ...layout }, field)) {
        await session.query(sql)
      }
    }
  }
}

interface TableOfType extends TableLayout {
  readonly id: number
  /** False for a table that is being loaded. */
  readonly isPublished: boolean
}

/**
 * Returns the created tables of a type that are being loaded or published, and whose objects have the
 * form of its current definition.
 */
export async function tablesOfDefinition(session: Session, typeId: number): Promise<TableOfType[]> {
  const rows = await session.query(
    `SELECT o.id, state, prefix_fields
     FROM oqs_object_table AS o JOIN oqs_object_type AS t ON t.id = o.object_type_id
     WHERE object_type_id = ? AND state <> 'abandoned' AND is_created AND o.id >= redefined_table
     ORDER BY o.id`,
    [typeId],
  )
  return rows.map(([id, state, fields]) => ({
    id: Number(id),
    isPublished: state === 'published',
    prefixFields: prefixFields(fields),
  }))
}
