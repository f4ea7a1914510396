/**
 * The publication of a sync. Its comment records what the sync knows of each table, because PostgreSQL
 * replicates neither what happens to tables and columns nor, of partitions, that one was truncated.
 */
import pg, { type Client } from 'pg'
import { isForbidden } from './connect-source.ts'
import { quotedName, type SourceTable, tableName } from './source-tables.ts'
import type { TableRecord, TableRecords } from './table-record.ts'

export interface Publication {
  /** The OIDs of its tables. */
  readonly tables: ReadonlySet<number>
  /** Why it does not send every change; undefined if it does. */
  readonly flaw: string | undefined
  /** Whether it lacks the record that the sync may make: somebody has created it again. */
  readonly isUnrecorded: boolean
  /** Whether the sync may record something. */
  readonly isOwned: boolean
  /** What was recorded of each table; undefined if nothing was. */
  readonly records: TableRecords | undefined
}

const PUBLICATION = `
  SELECT p.puballtables OR EXISTS (SELECT FROM pg_publication_namespace WHERE pnpubid = p.oid) AS "isGeneral",
    p.pubinsert AND p.pubupdate AND p.pubdelete AND p.pubtruncate AS "isComplete",
    p.pubviaroot AS "isViaRoot", pg_has_role(p.pubowner, 'USAGE') AS "isOwned",
    obj_description(p.oid, 'pg_publication') AS comment,
    EXISTS (SELECT FROM pg_publication_rel
      WHERE prpubid = p.oid AND (prqual IS NOT NULL OR prattrs IS NOT NULL)) AS "isPartial",
    (SELECT coalesce(json_agg(prrelid::bigint), '[]') FROM pg_publication_rel WHERE prpubid = p.oid) AS tables
  FROM pg_publication p WHERE p.pubname = $1`

/** Returns undefined if there is none. */
export async function readPublication(
  client: Client,
  name: string,
): Promise<Publication | undefined> {
  const { rows } = await client.query<Record<string, string>>(PUBLICATION, [name])
  const [row] = rows
  if (row === undefined) return undefined
  const tables = new Set(JSON.parse(row['tables'] ?? '[]') as number[])
  const records = parseRecord(row['comment'])
  const isOwned = row['isOwned'] === 't'
  const isUnrecorded = records === undefined && isOwned
  return { tables, flaw: findFlaw(row), isUnrecorded, isOwned, records }
}

function findFlaw(row: Readonly<Record<string, string>>): string | undefined {
  if (row['isGeneral'] === 't') return 'is for all tables, of the database or of a schema'
  if (row['isComplete'] !== 't') {
    return 'does not publish all of insert, update, delete and truncate'
  }
  if (row['isPartial'] === 't') return 'has a row filter or a list of columns'
  if (row['isViaRoot'] !== 't') return 'lacks publish_via_partition_root'
  return undefined
}

/** Returns why the publication of a sync does not have all changes since the copy. */
export function findGap(
  publication: Publication | undefined,
  /** The OIDs of the tables that it must have. */
  tables: readonly number[],
): string | undefined {
  if (publication === undefined) return 'was dropped'
  if (publication.flaw !== undefined) return publication.flaw
  if (publication.isUnrecorded) return 'was created again'
  const isComplete = tables.length > 0 && tables.every((oid) => publication.tables.has(oid))
  return isComplete ? undefined : 'does not have the tables any more'
}

/** Creates the publication, or makes it one for these tables. */
export async function ensurePublication(
  client: Client,
  name: string,
  tables: readonly SourceTable[],
  /** Whether a publication that does not send every change may be replaced. */
  { replaces }: { readonly replaces: boolean },
): Promise<void> {
  const present = await readPublication(client, name)
  // Without ONLY, tables that inherit from these would be published too.
  const list = `TABLE ONLY ${tables.map(quotedName).join(', ONLY ')}`
  const create = `CREATE PUBLICATION ${name} FOR ${list} WITH (publish_via_partition_root = true)`
  const replace = `DROP PUBLICATION ${name}; ${create}`
  const flaw = present?.flaw
  if (flaw !== undefined && !replaces) {
    throw new Error(
      `The publication ${name} ${flaw}, so changes would be missing. Pass another name with --slot, or replace it: ${replace};`,
    )
  }
  const alter = flaw === undefined ? `ALTER PUBLICATION ${name} SET ${list}` : replace
  const statement = present === undefined ? create : alter
  const hasTables = (oids: ReadonlySet<number>) =>
    oids.size === tables.length && tables.every(({ oid }) => oids.has(oid))
  if (present === undefined || flaw !== undefined || !hasTables(present.tables)) {
    await client.query(statement).catch((error: Error) => {
      if (!isForbidden(error)) throw error
      throw new Error(
        `The publication was not created: ${error.message}. Run this as the owner of ${tables.map(tableName).join(', ')}, then run the command again: ${statement};`,
      )
    })
  }
}

/** Adds a table to the publication. Returns the statement if the role may not run it. */
export async function publishTable(
  client: Client,
  name: string,
  table: SourceTable,
): Promise<string | undefined> {
  const statement = `ALTER PUBLICATION ${name} ADD TABLE ONLY ${quotedName(table)}`
  try {
    await client.query(statement)
    return undefined
  } catch (error) {
    if (isForbidden(error)) return statement
    throw error
  }
}

const RECORD_START = 'oqs sync follows '

export async function recordTables(
  client: Client,
  name: string,
  records: TableRecords,
): Promise<void> {
  const comment = `${RECORD_START}${JSON.stringify(records)}`
  const statement = `COMMENT ON PUBLICATION ${name} IS ${pg.escapeLiteral(comment)}`
  await client.query(statement).catch((error: Error) => {
    if (!isForbidden(error)) throw error
    const isOptional = ({ partitions, mustCopy }: TableRecord) =>
      Object.keys(partitions).length === 0 && mustCopy !== true
    if (Object.values(records).every(isOptional)) return
    throw new Error(
      `${error.message}. The sync has to record the partitions in its comment. Run this as its owner, then run the command again: ALTER PUBLICATION ${name} OWNER TO ${pg.escapeIdentifier(client.user ?? '')};`,
    )
  })
}

function parseRecord(comment: string | undefined): TableRecords | undefined {
  if (!comment?.startsWith(RECORD_START)) return undefined
  try {
    return JSON.parse(comment.slice(RECORD_START.length))
  } catch {
    return undefined
  }
}

/** Says which tables have gone: nothing else tells that their objects are old. */
export function noteDropped(
  publication: Publication | undefined,
  tables: readonly SourceTable[],
  onNote: (text: string) => void,
): void {
  const present = new Set(tables.map(({ oid }) => String(oid)))
  for (const [oid, { name }] of Object.entries(publication?.records ?? {})) {
    if (present.has(oid)) continue
    onNote(
      `${name} is not followed any more: it was dropped or left out; its object type keeps its objects until you delete it with oqs ontology delete`,
    )
  }
}
