/** Writes a query as SQL, resolves cursors, and counts matches. */
import type { Query } from '../../../query/query.ts'
import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import { isAddedAfter } from '../../core/catalogue/version-indexes.ts'
import type { Cursor, ReadPageRequest } from '../../object-store.ts'
import type { FieldNumbers } from '../../sql/compile/field-numbers.ts'
import { type KeysetCursor, orderColumn } from '../../sql/compile/keyset-sql.ts'
import type { SqlCondition, SqlValue } from '../../sql/compile/sql-condition.ts'
import {
  type FindSimilarTerms,
  SimilarTermSearch,
  type SimilarTerms,
} from '../../sql/text/similar-terms.ts'
import type { TermPrefix } from '../../sql/text/text-index.ts'
import { type TableHead, type TypeHead, tableOfRow } from '../catalogue/type-head.ts'
import type { Session } from '../driver/database.ts'
import { type LinkedTables, NO_LINKS, type TypeFields } from './queried-types.ts'
import { querySql } from './query-sql.ts'

/**
 * Returns the condition of a query. It is compiled twice if it needs similar terms: the first time
 * shows which, and each set of them is looked up once.
 */
export async function readQuerySql(
  session: Session,
  query: Query,
  fields: TypeFields,
  links: LinkedTables,
): Promise<SqlCondition> {
  const lookups = new Map<string, Parameters<FindSimilarTerms>>()
  const found = new Map<string, SimilarTerms>()
  const similarTerms: FindSimilarTerms = (...lookup) => {
    const key = JSON.stringify(lookup)
    lookups.set(key, lookup)
    return found.get(key) ?? new Map()
  }
  const compile = () => querySql(query, { ...fields, links, depth: 1, similarTerms })
  const condition = compile()
  for (const [key, lookup] of lookups) found.set(key, await findSimilarTerms(session, ...lookup))
  return found.size === 0 ? condition : compile()
}

/** Returns the condition of a query without fuzzy text and links, which needs no lookup. */
export function exactQuerySql(query: Query, fields: TypeFields): SqlCondition {
  return querySql(query, { ...fields, similarTerms: () => new Map(), links: NO_LINKS, depth: 1 })
}

const TERMS_PER_STATEMENT = 5000

/** Finds the terms of a field within a small edit distance, in one scan of the vocabulary. */
async function findSimilarTerms(
  session: Session,
  terms: readonly string[],
  prefix: TermPrefix,
  edits?: number,
): Promise<SimilarTerms> {
  const search = new SimilarTermSearch(terms, prefix, edits)
  // In pieces, because a vocabulary may have millions of terms.
  for (let from = search.from, operator = '>='; ; operator = '>') {
    const rows = await session.query(
      `SELECT term FROM oqs_vocabulary
       WHERE term ${operator} ? AND term < ? AND length(term) <= ?
       ORDER BY term LIMIT ${TERMS_PER_STATEMENT}`,
      [from, search.before, search.maxLength],
    )
    for (const [term] of rows) search.compare(String(term))
    if (rows.length < TERMS_PER_STATEMENT) return search.similarTerms
    from = String(rows.at(-1)?.[0])
  }
}

/** Counts matching rows up to a limit, with the indexes of terms and positions. */
export async function estimateRows(
  session: Session,
  table: number,
  condition: SqlCondition,
  limit: number,
): Promise<number> {
  await session.query('SET LOCAL enable_seqscan = off')
  const [row] = await session.query(
    `SELECT count(*) FROM (
       SELECT 1 FROM ${objectTable(table)} AS o WHERE ${condition.sql} LIMIT ?
     ) AS matching`,
    [...condition.values, limit],
  )
  await session.query('SET LOCAL enable_seqscan = on')
  return Number(row?.[0])
}

/** Counts the rows that satisfy a condition. */
export async function countRows(
  session: Session,
  table: number,
  condition: SqlCondition,
): Promise<number> {
  const { sql, values } = countSql(table, condition)
  const [row] = await session.query(sql, values)
  return Number(row?.[0])
}

/** The number of rows that satisfy a condition. */
export function countSql(table: number, { sql, values }: SqlCondition): SqlCondition {
  return { sql: `(SELECT count(*) FROM ${objectTable(table)} AS o WHERE ${sql})`, values }
}

/**
 * The number of the current objects that satisfy a condition: all rows, minus those that are not current.
 * Without a visibility condition an index alone can count, in a twentieth of the time; the rows that
 * are not current have an index of their own.
 */
export function countCurrentSql(table: number, condition: SqlCondition): SqlCondition {
  const { sql, values } = condition
  const all = countSql(table, condition)
  const closed = countSql(table, { sql: `o.valid_to < ${NEVER_CLOSED} AND ${sql}`, values })
  return { sql: `${all.sql} - ${closed.sql}`, values: [...all.values, ...closed.values] }
}

/**
 * The number of the objects of a version that satisfy a condition: all rows, minus those that it had
 * closed, and those that are newer. Each shard counts in one statement, and so as of one moment. The
 * version must not be older than the index of added rows.
 */
export function countVersionSql(
  { table, indexedVersion }: Pick<TableHead, 'table' | 'indexedVersion'>,
  version: number,
  { sql, values }: SqlCondition,
): SqlCondition {
  const rows = (number: number, where: string) =>
    `SELECT o.pk, ${number} AS number FROM ${objectTable(table)} AS o WHERE ${where}`
  const counted = [
    rows(1, sql),
    rows(-1, `o.valid_to < ${NEVER_CLOSED} AND o.valid_to <= ? AND ${sql}`),
    rows(-1, `o.${isAddedAfter(indexedVersion)} AND o.valid_from > ? AND ${sql}`),
  ]
  return {
    sql: `(SELECT coalesce(sum(number), 0) FROM (${counted.join(' UNION ALL ')}) AS counted)`,
    values: [...values, version, ...values, version, ...values],
  }
}

/** Looks up a cursor's value for each order term; undefined if its row has been deleted. */
export async function resolveCursor(
  session: Session,
  { order, objectType }: Pick<ReadPageRequest, 'order' | 'objectType'>,
  numbers: FieldNumbers,
  head: TypeHead,
  { pk, version }: Cursor,
): Promise<KeysetCursor | undefined> {
  if (order.length === 0) return { pk, values: [] }
  const table = await tableOfRow(session, head, version, objectType)
  if (table === undefined) return undefined
  const columns = order.map((term) => orderColumn(term, numbers).value)
  const [row] = await session.query(
    `SELECT ${columns.join(', ')} FROM ${objectTable(table)} AS o WHERE pk = ? AND valid_from = ?`,
    [pk, version],
  )
  return row && { pk, values: row as readonly (SqlValue | null)[] }
}
