import { columnOf } from '../../sql/field-numbers.ts'
import { type NewTable, OPEN } from '../../sql/new-table.ts'
import { type Capabilities, distributeTable } from '../citus/capabilities.ts'
import type { Session, WriteSession } from '../driver/database.ts'
import { elementColumnOf, type FieldColumns, readFieldColumns } from './field-columns.ts'

/**
 * The tables of an object type. A row is one version of one object: it was the object from commit
 * `valid_from` until commit `valid_to`, or still is while `valid_to` is open. Each property has a
 * column in the form that conditions compare; what has any number of values has an array.
 *
 * A type has one table; a replacement of all its objects is loaded into a new one, and the old one
 * stays for as long as its versions can be read. See docs/decisions/008-replacements.md.
 */

/** Tables are named by number, so no name that people choose ever stands in SQL. */
export function objectTable(id: number): string {
  if (!Number.isSafeInteger(id)) throw new Error(`not a table number: ${id}`)
  return `oqs_object_${id}`
}

/**
 * Notes that there is a table, and gives its number. It is made later: an ontology can have very
 * many types, of which most are never used, and a table takes a dozen files and locks.
 */
export async function addObjectTable(session: WriteSession, wish: NewTable): Promise<number> {
  const { typeId, state, firstVersion, loadedAs } = wish
  const [row] = await session.query(
    `INSERT INTO oqs_object_table (object_type_id, state, first_version, loaded_as)
     VALUES (?, ?, ?, ?) RETURNING id`,
    [typeId, state, firstVersion, loadedAs],
  )
  return Number(row?.[0])
}

/**
 * Makes a table with the columns of each field of its type. One that is to be loaded gets most of
 * its indexes when it is full, see `buildNextIndex`. Whoever calls this holds a lock of the type.
 */
export async function createObjectTable(
  session: WriteSession,
  capabilities: Capabilities,
  { typeId, id, state }: TableOfType & { readonly typeId: number },
): Promise<void> {
  const table = objectTable(id)
  const fields = await readFieldColumns(session, typeId)
  await session.extendTimeout()
  await dropLeftover(session, table)
  // Every unique key holds pk: what a distributed table demands.
  await session.query(`
    CREATE TABLE ${table} (
      pk text COLLATE "C" NOT NULL,
      valid_from bigint NOT NULL,
      valid_to bigint NOT NULL DEFAULT ${OPEN},
      object_id text NOT NULL,
      key text NOT NULL,
      title text,
      body text NOT NULL,
      words text,
      lexemes tsvector,
      places double precision[],
      area box${fields
        .flatMap(columnDefinitions)
        .map((definition) => `, ${definition}`)
        .join('')},
      PRIMARY KEY (pk, valid_from)
    )`)
  if (capabilities.distributes) await distributeTable(session, table)
  // Walks over the current objects; also the guard that an object is current only once.
  await session.query(
    `CREATE UNIQUE INDEX ${table}_current ON ${table} (pk) WHERE valid_to = ${OPEN}`,
  )
  if (state === 'published') {
    for (const { sql } of deferredIndexes(table, fields)) await session.query(sql)
  }
  await session.run('UPDATE oqs_object_table SET is_made = TRUE WHERE id = ?', [id])
}

/**
 * Drops what has the name of a table that is yet to be made: the catalogue was restored to a state
 * from before it was made, and nobody reads it any more. Only where it stands in the way: the same
 * name in a schema that is looked into later is somebody else's.
 */
async function dropLeftover(session: WriteSession, table: string): Promise<void> {
  const found = await session.query(
    `SELECT 1 FROM pg_class WHERE relname = ? AND relkind IN ('r', 'p')
     AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`,
    [table],
  )
  if (found.length > 0) await session.query(`DROP TABLE ${table}`)
}

/** Columns that every table has, and columns that a table may have. */
const FIXED_COLUMNS = 11
const MAX_COLUMNS = 1600

/** Why a type with such fields cannot have a table; undefined where it can. */
export function tooManyColumns(fields: readonly FieldColumns[]): string | undefined {
  const count = fields.flatMap(columnDefinitions).length
  const most = MAX_COLUMNS - FIXED_COLUMNS
  if (count <= most) return undefined
  return `need ${count} columns, and PostgreSQL has ${most}: arrays take two, fields of structs one`
}

function columnDefinitions({ number, valueType, elementType }: FieldColumns): string[] {
  return [
    ...(valueType === undefined ? [] : [`${columnOf(number)} ${collated(valueType)}`]),
    ...(elementType === undefined
      ? []
      : [`${elementColumnOf(number)} ${elementType}[]${elementType === 'text' ? COLLATE_C : ''}`]),
  ]
}

/** Text sorts by code point. */
const COLLATE_C = ' COLLATE "C"'

function collated(type: string): string {
  return type === 'text' ? `${type}${COLLATE_C}` : type
}

interface Index {
  readonly name: string
  readonly sql: string
}

/** The indexes that nothing needs before the table is read. */
function deferredIndexes(table: string, fields: readonly FieldColumns[]): Index[] {
  const index = (name: string, what: string) => ({
    name: `${table}_${name}`,
    sql: `CREATE INDEX ${table}_${name} ON ${table} ${what}`,
  })
  return [
    // What a commit wrote and closed, and what can be reclaimed.
    index('written', '(valid_from)'),
    index('closed', `(valid_to) WHERE valid_to < ${OPEN}`),
    index('lexemes', 'USING gin (lexemes)'),
    // Texts with more words than an index can take, which are few.
    index('long', '(pk) WHERE words IS NOT NULL AND lexemes IS NULL'),
    index('area', 'USING gist (area)'),
    ...fields.flatMap((field) => fieldIndexes(table, field)),
  ]
}

/**
 * A property is indexed with the key, so that what is equal in it is walked in key order. Indexes
 * cannot take long texts: a property that has one can be looked up, but no longer walked.
 */
function fieldIndexes(table: string, field: FieldColumns): Index[] {
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

/** Builds one index that a loaded table still lacks; false when it has them all. */
export async function buildNextIndex(
  session: WriteSession,
  typeId: number,
  id: number,
): Promise<boolean> {
  const indexes = deferredIndexes(objectTable(id), await readFieldColumns(session, typeId))
  const rows = await session.query(
    'SELECT relname FROM pg_class WHERE relname = ANY(?) AND pg_table_is_visible(oid)',
    [indexes.map(({ name }) => name)],
  )
  const missing = indexes.find(({ name }) => !rows.some(([there]) => there === name))
  if (missing === undefined) return false
  await session.extendTimeout()
  await session.query(missing.sql)
  return true
}

/** Drops indexes that were built while a text came that is too long for them. */
export async function dropUnusableIndexes(
  session: WriteSession,
  typeId: number,
  id: number,
): Promise<void> {
  const table = objectTable(id)
  for (const field of await readFieldColumns(session, typeId)) {
    if (!field.hasLongText) continue
    const fit = fieldIndexes(table, field).map(({ name }) => name)
    for (const { name } of fieldIndexes(table, { ...field, hasLongText: false })) {
      if (!fit.includes(name)) await session.query(`DROP INDEX IF EXISTS ${name}`)
    }
  }
}

/** Gives tables that exist the columns of fields that are new, and their indexes. */
export async function addColumns(
  session: WriteSession,
  typeId: number,
  fields: readonly FieldColumns[],
): Promise<void> {
  const definitions = fields.flatMap(columnDefinitions)
  if (definitions.length === 0) return
  for (const { id, state } of await createdTables(session, typeId)) {
    const table = objectTable(id)
    const additions = definitions.map((definition) => `ADD COLUMN ${definition}`)
    await session.query(`ALTER TABLE ${table} ${additions.join(', ')}`)
    if (state !== 'published') continue
    for (const { sql } of fields.flatMap((field) => fieldIndexes(table, field))) {
      await session.query(sql)
    }
  }
}

/** Lets fields hold texts that are too long for an index that sorts. */
export async function allowLongTexts(
  session: WriteSession,
  typeId: number,
  fields: readonly FieldColumns[],
): Promise<void> {
  if (fields.length === 0) return
  await session.extendTimeout()
  await session.run('UPDATE oqs_object_field SET has_long_text = TRUE WHERE number = ANY(?)', [
    fields.map(({ number }) => number),
  ])
  for (const { id, state } of await createdTables(session, typeId)) {
    const table = objectTable(id)
    for (const field of fields) {
      for (const { name } of fieldIndexes(table, field)) {
        await session.query(`DROP INDEX IF EXISTS ${name}`)
      }
      if (state !== 'published') continue
      for (const { sql } of fieldIndexes(table, { ...field, hasLongText: true })) {
        await session.query(sql)
      }
    }
  }
}

export interface TableOfType {
  readonly id: number
  readonly state: 'loading' | 'published'
}

/** The tables of a type that are in use, whatever for, and are there. */
export async function createdTables(session: Session, typeId: number): Promise<TableOfType[]> {
  const rows = await session.query(
    `SELECT id, state FROM oqs_object_table
     WHERE object_type_id = ? AND state <> 'abandoned' AND is_made ORDER BY id`,
    [typeId],
  )
  return rows.map(([id, state]) => ({ id: Number(id), state: state as TableOfType['state'] }))
}

/** Gives up all tables of a type; reclaiming removes them. */
export async function abandonTables(session: WriteSession, typeId: number): Promise<void> {
  await session.run(`UPDATE oqs_object_table SET state = 'abandoned' WHERE object_type_id = ?`, [
    typeId,
  ])
}
