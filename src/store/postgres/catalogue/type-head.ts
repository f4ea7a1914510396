/** The versions of an object type and the tables that hold them, read from the catalogue. */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { prefixFields } from '../../core/catalogue/fields.ts'
import {
  type FindTable,
  type TableReader,
  tableOfRow as tableOfRowIn,
  tableOfVersion as tableOfVersionIn,
} from '../../core/catalogue/walks-of-redefined-types.ts'
import { GENERATION_SQL } from '../../core/definitions/catalogue-reader.ts'
import { awaited, runAwaited } from '../../core/session/session.ts'
import type { PrefixFields } from '../../sql/compile/field-numbers.ts'
import type { TableHead as AnyTableHead, TypeHead as AnyTypeHead } from '../../sql/type-head.ts'
import { PLACEMENTS_SQL } from '../citus/shards.ts'
import type { Row, Session } from '../driver/database.ts'
import { TOKEN_GENERATION_SQL } from '../driver/postgres-session.ts'
import { MissingTable } from '../driver/store-failure.ts'

/**
 * The current state of an object type. A table that is not marked as created is never read: a table
 * of that name may be a leftover from before a restore, with objects of another type.
 */
export interface TypeHead extends AnyTypeHead {
  /** The generation of the catalogue in which the definition last changed. */
  readonly generation: number
  /** Increases when a field gets its first long text, which changes its indexes. */
  readonly longFields: number
  /** The generations of the whole catalogue and of all API tokens. */
  readonly generations: { readonly catalogue: number; readonly tokens: number }
  readonly current: TableHead
}

export interface TableHead extends AnyTableHead {
  /** The fields whose index holds only the beginning of their texts. */
  readonly prefixFields: PrefixFields
  readonly isCreated: boolean
  /** The last version when the indexes were built. */
  readonly indexedVersion: number
}

const TABLE_COLUMNS = [
  ...[
    'o.id',
    'o.first_version',
    'o.loaded_as',
    'o.live_count',
    'o.max_record_bytes',
    'o.indexed_version',
    'o.is_created',
  ],
  'o.prefix_fields',
]
const HEAD_COLUMNS = [
  ...['t.id', 't.published', 't.oldest', 't.redefined_table', 't.redefined_generation'],
  ...['t.generation', 't.long_fields'],
  ...[GENERATION_SQL, TOKEN_GENERATION_SQL],
  ...TABLE_COLUMNS,
]
const HEAD_FROM = `FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id
  WHERE t.rid = ?`
const HEAD_TEXT = `concat(${HEAD_COLUMNS.join(", ' ', ")})`
const HEAD_SQL = `SELECT ${HEAD_COLUMNS.join(', ')} ${HEAD_FROM}`

/** Reads the state of a type. Throws `MissingTable` if its table is not created yet. */
export async function readTypeHead(session: Session, type: ObjectType): Promise<TypeHead> {
  const head = await findTypeHead(session, type)
  refuseMissing(head.current)
  return head
}

/** Reads the state of a type, whose table may not be created yet. */
export async function findTypeHead(session: Session, type: ObjectType): Promise<TypeHead> {
  const [row] = await session.query(HEAD_SQL, [type.rid], { isPrepared: true })
  // Another process may have dropped the type since the catalogue was read.
  if (row === undefined) {
    throw new ObjectQueryError('ObjectTypeNotFound', { objectType: type.apiName })
  }
  return toTypeHead(row)
}

/**
 * Returns the head as text in one column. Parameter: the RID of the type. `concat_ws` would omit a
 * value that is null, and shift the others.
 */
export const HEAD_TEXT_SQL = `SELECT ${HEAD_TEXT} AS head ${HEAD_FROM}`

/** Returns the placements of shards as well, on Citus. */
export const PLACED_HEAD_SQL = `SELECT ${HEAD_TEXT}, ${PLACEMENTS_SQL} ${HEAD_FROM}`

/** Parses the column of `HEAD_TEXT_SQL`. */
export function parseTypeHead(text: string): TypeHead {
  return toTypeHead(text.split(' '))
}

function toTypeHead(row: Row): TypeHead {
  const [typeId, published, oldest, redefinedTable, redefinedIn, ...rest] = row
  const [generation, longFields, catalogue, tokens, ...table] = rest
  return {
    typeId: Number(typeId),
    published: Number(published),
    oldest: Number(oldest),
    redefined: { table: Number(redefinedTable), generation: Number(redefinedIn) },
    generation: Number(generation),
    longFields: Number(longFields),
    generations: { catalogue: Number(catalogue), tokens: Number(tokens) },
    current: toTableHead(table),
  }
}

/**
 * Returns the table of a version, see core/catalogue/walks-of-redefined-types.ts. Throws `MissingTable` if it is not
 * created yet.
 */
export async function tableOfVersion(
  session: Session,
  head: TypeHead,
  version: number,
  reader: TableReader,
): Promise<TableHead> {
  return refuseMissing(await findTableOfVersion(session, head, version, reader))
}

/** Returns the table of a version, which may not be created yet. */
export function findTableOfVersion(
  session: Session,
  head: TypeHead,
  version: number,
  reader: TableReader,
): Promise<TableHead> {
  return runAwaited(tableOfVersionIn(findTable(session), head, version, reader))
}

/** Returns the table of a row that a commit wrote, see core/catalogue/walks-of-redefined-types.ts. */
export async function tableOfRow(
  session: Session,
  head: TypeHead,
  version: number,
  objectType: ObjectType,
): Promise<number | undefined> {
  const find = findTable(session)
  return (await runAwaited(tableOfRowIn(find, head, version, objectType)))?.table
}

function findTable(session: Session): FindTable<TableHead> {
  return function* (where, values) {
    const sql = `SELECT ${TABLE_COLUMNS.join(', ')} FROM oqs_object_table AS o
      WHERE ${where} LIMIT 1`
    const [row] = yield* awaited(session.query(sql, values, { isPrepared: true }))
    return row && toTableHead(row)
  }
}

function toTableHead(row: Row): TableHead {
  const [table = 0, firstVersion = 0, loadedAs = 0, ...numbers] = row.map(Number)
  const [liveCount = 0, maxRecordBytes = 0, indexedVersion = 0] = numbers
  // `true` from a boolean column, `t` from the text form.
  const isCreated = row[6] === true || row[6] === 't'
  return {
    table,
    firstVersion,
    loadedAs,
    liveCount,
    maxRecordBytes,
    indexedVersion,
    isCreated,
    prefixFields: prefixFields(row[7]),
  }
}

function refuseMissing(head: TableHead): TableHead {
  if (!head.isCreated) throw new MissingTable(head.table)
  return head
}
