import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { TableHead, TypeHead } from '../sql/type-head.ts'
import type { Row, Session } from './database.ts'

export type { TableHead, TypeHead }

const TABLE_COLUMNS = 'o.id, o.first_version, o.loaded_as, o.live_count, o.max_record_bytes'
const HEAD_COLUMNS = `t.id, t.published, t.oldest, ${TABLE_COLUMNS}`
const HEAD_FROM = `FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id
  WHERE t.rid = ?`
const HEAD_SQL = `SELECT ${HEAD_COLUMNS} ${HEAD_FROM}`

export async function readTypeHead(session: Session, type: ObjectType): Promise<TypeHead> {
  const [row] = await session.query(HEAD_SQL, [type.rid], { name: true })
  // Another process may have dropped the type since the catalogue was read.
  if (row === undefined) {
    throw new ObjectQueryError('ObjectTypeNotFound', { objectType: type.apiName })
  }
  return toTypeHead(row)
}

/** The head in one column, as text. Value: the RID of the type. */
export const HEAD_TEXT_SQL = `SELECT concat_ws(' ', ${HEAD_COLUMNS}) AS head ${HEAD_FROM}`

/** Reads what `HEAD_TEXT_SQL` gives. */
export function parseTypeHead(text: string): TypeHead {
  return toTypeHead(text.split(' '))
}

function toTypeHead([typeId, published, oldest, ...table]: Row): TypeHead {
  return {
    typeId: Number(typeId),
    published: Number(published),
    oldest: Number(oldest),
    current: toTableHead(table),
  }
}

/** The table that holds a version: the current one, or one from before a replacement. */
export async function tableOfVersion(
  session: Session,
  { typeId, current }: TypeHead,
  version: number,
): Promise<TableHead> {
  if (version >= current.firstVersion) return current
  const [row] = await session.query(
    `SELECT ${TABLE_COLUMNS} FROM oqs_object_table AS o
     WHERE object_type_id = ? AND state = 'published' AND first_version <= ?
     ORDER BY first_version DESC LIMIT 1`,
    [typeId, version],
    { name: true },
  )
  if (row === undefined) throw new Error(`no table holds version ${version}`)
  return toTableHead(row)
}

/** The table of a row that a commit wrote; undefined when it is gone. */
export async function tableOfRow(
  session: Session,
  { typeId, current }: TypeHead,
  version: number,
): Promise<number | undefined> {
  if (version >= current.firstVersion || version === current.loadedAs) return current.table
  const [row] = await session.query(
    `SELECT id FROM oqs_object_table
     WHERE object_type_id = ? AND state = 'published' AND (loaded_as = ? OR first_version <= ?)
     ORDER BY loaded_as = ? DESC, first_version DESC LIMIT 1`,
    [typeId, version, version, version],
    { name: true },
  )
  return row && Number(row[0])
}

function toTableHead(row: Row): TableHead {
  const [table = 0, firstVersion = 0, loadedAs = 0, liveCount = 0, maxRecordBytes = 0] =
    row.map(Number)
  return { table, firstVersion, loadedAs, liveCount, maxRecordBytes }
}
