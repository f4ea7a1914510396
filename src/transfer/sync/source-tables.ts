/** Reads from the catalogue of the source which tables it has, and what their columns are. */
import pg, { type Client } from 'pg'

export interface SourceTable {
  readonly oid: number
  readonly schema: string
  readonly name: string
  readonly comment: string | undefined
  /** Only tables and partitioned tables can be published. */
  readonly kind: 'table' | 'partitioned' | 'view' | 'foreign'
  readonly isUnlogged: boolean
  /** The role of the connection if row-level security hides rows from it. */
  readonly hiddenFrom: string | undefined
  /** The partitioned table that it is a partition of: `public.orders`. */
  readonly partitionOf: string | undefined
  /** Its partitions, and theirs. */
  readonly partitions: readonly Partition[]
  readonly columns: readonly SourceColumn[]
  /** The columns of the primary key; empty without one. */
  readonly key: readonly string[]
  /** Whether rows can have the same key until their transaction commits. */
  readonly isKeyDeferrable: boolean
  /** Whether updates and deletes carry the primary key of the old row, those of partitions too. */
  readonly hasReplicaKey: boolean
  readonly foreignKeys: readonly ForeignKey[]
}

interface Partition {
  readonly oid: number
  /** Another one after TRUNCATE, which is not replicated, or when the table was rewritten. */
  readonly file: number
  /** Whether it was a table of its own before, whose rows are not replicated. */
  readonly isAttached: boolean
}

export interface SourceColumn {
  readonly name: string
  /** Stays the same when the column is renamed; no other column of the table ever gets it. */
  readonly number: number
  /** Whether rows from before the column have a value, which PostgreSQL does not replicate. */
  readonly isFilled: boolean
  readonly typeOid: number
  /** The type below domains and, for an array, below the array. */
  readonly typeName: string
  readonly isArray: boolean
  readonly comment: string | undefined
  /** The values of a generated column are not part of the stream. */
  readonly isGenerated: boolean
}

interface ForeignKey {
  readonly columns: readonly string[]
  /** The OID of the table, and its columns. */
  readonly target: number
  readonly targetColumns: readonly string[]
}

/** The name of a table as people write it: `public.orders`. */
export function tableName({ schema, name }: Pick<SourceTable, 'schema' | 'name'>): string {
  return `${schema}.${name}`
}

/** The name of a table for statements. */
export function quotedName({ schema, name }: Pick<SourceTable, 'schema' | 'name'>): string {
  return `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`
}

const COLUMNS = (relation: string, numbers: string) => `
  (SELECT coalesce(json_agg(attname ORDER BY position), '[]')
   FROM unnest(${numbers}) WITH ORDINALITY AS listed(number, position)
   JOIN pg_attribute ON attrelid = ${relation} AND attnum = number)`

/**
 * The row of `pg_attribute` for the system column `ctid` is as old as the table, so a partition was
 * created as one if the transaction that added it to its parent is the same.
 */
const PARTITIONS = `
  (SELECT coalesce(json_agg(json_build_object(
      'oid', part.oid::bigint, 'file', part.relfilenode::bigint, 'isAttached', h.xmin <> a.xmin) ORDER BY part.oid), '[]')
   FROM pg_partition_tree(c.oid) JOIN pg_class part ON part.oid = relid
   JOIN pg_inherits h ON h.inhrelid = relid JOIN pg_attribute a ON a.attrelid = relid AND a.attnum = -1
   WHERE level > 0)`

/** The partitions of a table have replica identities of their own. */
const HAS_REPLICA_KEY = `
  NOT EXISTS (
    SELECT FROM (SELECT c.oid UNION SELECT relid FROM pg_partition_tree(c.oid) WHERE isleaf) AS part (oid)
    JOIN pg_class r ON r.oid = part.oid LEFT JOIN pg_index ri ON ri.indrelid = r.oid AND ri.indisprimary
    WHERE r.relreplident = 'n' OR (r.relreplident = 'i' AND ri.indisreplident IS NOT TRUE))`

const TABLES = `
  SELECT c.oid::bigint AS oid, n.nspname AS schema, c.relname AS name,
    obj_description(c.oid, 'pg_class') AS comment,
    CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned' WHEN 'f' THEN 'foreign' ELSE 'view' END AS kind,
    c.relpersistence = 'u' AS "isUnlogged", CASE WHEN row_security_active(c.oid) THEN current_user END AS "hiddenFrom",
    (SELECT rn.nspname || '.' || r.relname FROM pg_class r JOIN pg_namespace rn ON rn.oid = r.relnamespace
      WHERE c.relispartition AND r.oid = pg_partition_root(c.oid)) AS "partitionOf",
    CASE WHEN c.relkind = 'p' AND NOT c.relispartition THEN ${PARTITIONS} ELSE '[]' END AS partitions,
    coalesce(${COLUMNS('c.oid', 'i.indkey::int2[]')}, '[]') AS key,
    i.indimmediate IS FALSE AS "isKeyDeferrable", ${HAS_REPLICA_KEY} AS "hasReplicaKey",
    (SELECT coalesce(json_agg(json_build_object(
        'name', a.attname, 'number', a.attnum, 'isFilled', a.atthasdef OR a.atthasmissing OR a.attidentity <> '',
        'typeOid', a.atttypid::bigint, 'isGenerated', a.attgenerated <> '',
        'comment', col_description(c.oid, a.attnum)) ORDER BY a.attnum), '[]')
      FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
    (SELECT coalesce(json_agg(json_build_object(
        'columns', ${COLUMNS('f.conrelid', 'f.conkey')}, 'target', f.confrelid::bigint,
        'targetColumns', ${COLUMNS('f.confrelid', 'f.confkey')}) ORDER BY f.conname), '[]')
      FROM pg_constraint f WHERE f.conrelid = c.oid AND f.contype = 'f') AS "foreignKeys"
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary AND i.indisvalid
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND ($1::oid[] IS NULL OR c.oid = ANY ($1))
    AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
  ORDER BY n.nspname, c.relname`

const TYPES = `
  SELECT t.oid::bigint AS oid, t.typname AS name, t.typbasetype::bigint AS base,
    CASE WHEN t.typcategory = 'A' THEN t.typelem::bigint ELSE 0 END AS element
  FROM pg_type t`

interface TypeRow {
  readonly oid: string
  readonly name: string
  readonly base: string
  readonly element: string
}

/** Returns all tables and views, or those with these OIDs, in the order of their names. */
export async function readTables(
  client: Client,
  oids?: readonly number[],
): Promise<readonly SourceTable[]> {
  const types = new Map((await client.query<TypeRow>(TYPES)).rows.map((row) => [row.oid, row]))
  const { rows } = await client.query<Record<string, string>>(TABLES, [oids ?? null])
  return rows.map((row) => ({
    oid: Number(row['oid']),
    schema: row['schema'] ?? '',
    name: row['name'] ?? '',
    comment: row['comment'] ?? undefined,
    kind: row['kind'] as SourceTable['kind'],
    isUnlogged: row['isUnlogged'] === 't',
    hiddenFrom: row['hiddenFrom'] ?? undefined,
    partitionOf: row['partitionOf'] ?? undefined,
    partitions: JSON.parse(row['partitions'] ?? '[]'),
    key: JSON.parse(row['key'] ?? '[]'),
    isKeyDeferrable: row['isKeyDeferrable'] === 't',
    hasReplicaKey: row['hasReplicaKey'] === 't',
    columns: (JSON.parse(row['columns'] ?? '[]') as ColumnRow[]).map((column) => ({
      ...column,
      comment: column.comment ?? undefined,
      ...resolveType(types, String(column.typeOid)),
    })),
    foreignKeys: JSON.parse(row['foreignKeys'] ?? '[]'),
  }))
}

type ColumnRow = Omit<SourceColumn, 'typeName' | 'isArray' | 'comment'> & {
  readonly comment: string | null
}

/** Follows domains to the type below them, before and after the step from an array to its elements. */
function resolveType(
  types: ReadonlyMap<string, TypeRow>,
  oid: string,
): Pick<SourceColumn, 'typeName' | 'isArray'> {
  const type = baseOf(types, oid)
  if (type.element === '0') return { typeName: type.name, isArray: false }
  return { typeName: baseOf(types, type.element).name, isArray: true }
}

function baseOf(types: ReadonlyMap<string, TypeRow>, oid: string): TypeRow {
  const type = types.get(oid) ?? { oid, name: 'unknown', base: '0', element: '0' }
  return type.base === '0' ? type : baseOf(types, type.base)
}
