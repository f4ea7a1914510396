import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Field, OrderTerm, Query } from '../../../query/query.ts'
import type { Place } from '../../object-store.ts'
import { FieldNumbers } from '../../sql/field-numbers.ts'
import { OPEN } from '../../sql/new-table.ts'
import { type Anchor, orderColumn } from '../../sql/order-sql.ts'
import { textFieldsOf } from '../../sql/query-fields.ts'
import { SimilarTermSearch, type SimilarTerms } from '../../sql/similar-terms.ts'
import type { SqlCondition, SqlValue } from '../../sql/sql-condition.ts'
import type { TermPrefix } from '../../sql/text-index.ts'
import { type FieldColumns, readFieldColumns } from '../catalogue/field-columns.ts'
import { objectTable } from '../catalogue/object-table.ts'
import { type TypeHead, tableOfRow } from '../catalogue/type-head.ts'
import type { Session } from '../driver/database.ts'
import { prefixesOf, type QueryTables, querySql } from './query-sql.ts'

/** What a query needs to know before it can be written as SQL, and questions about its matches. */

/** The fields of a type, by what people call them. */
export interface TypeFields extends Pick<QueryTables, 'columnsOf' | 'textFields'> {
  readonly numbers: FieldNumbers
}

/** The fields of each type as it was last read; they only change with its definition. */
const knownFields = new WeakMap<ObjectType, TypeFields & TypeState>()

type TypeState = Pick<TypeHead, 'typeId' | 'generation'>

/** The fields of a type, where they are known to be those of this head. */
export function knownTypeFields(
  { typeId, generation }: TypeState,
  objectType: ObjectType,
): TypeFields | undefined {
  const known = knownFields.get(objectType)
  return known?.typeId === typeId && known.generation === generation ? known : undefined
}

/** To be called in the transaction that read the head. */
export async function readTypeFields(
  session: Session,
  head: TypeState,
  objectType: ObjectType,
): Promise<TypeFields> {
  const known = knownTypeFields(head, objectType)
  if (known !== undefined) return known
  const fields = toTypeFields(await readFieldColumns(session, head.typeId), objectType)
  const { typeId, generation } = head
  knownFields.set(objectType, { ...fields, typeId, generation })
  return fields
}

function toTypeFields(columns: readonly FieldColumns[], objectType: ObjectType): TypeFields {
  const byNumber = new Map<number, FieldColumns>(columns.map((field) => [field.number, field]))
  const numbers = new FieldNumbers(
    columns.map(({ number, property, structField = null }) => ({
      number,
      property,
      struct_field: structField,
    })),
  )
  return {
    numbers,
    columnsOf: (field: Field) => {
      const found = byNumber.get(numbers.of(field))
      if (found === undefined) throw new Error(`no columns for field ${field.property}`)
      return found
    },
    textFields: textFieldsOf(objectType),
  }
}

/** The condition of a query; similar terms are looked for first, and once each. */
export async function readQuerySql(
  session: Session,
  query: Query,
  fields: TypeFields,
): Promise<SqlCondition> {
  const similar = new Map<string, SimilarTerms>()
  const nameOf = (terms: readonly string[], prefix: TermPrefix) => JSON.stringify([terms, prefix])
  for (const fuzzy of fuzzyTexts(query)) {
    for (const prefix of prefixesOf(fuzzy, fields)) {
      const name = nameOf(fuzzy.terms, prefix)
      if (!similar.has(name)) similar.set(name, await similarTerms(session, fuzzy.terms, prefix))
    }
  }
  return querySql(query, {
    ...fields,
    similarTerms: (terms, prefix) => similar.get(nameOf(terms, prefix)) ?? new Map(),
  })
}

/** The condition of a query that looks for no similar terms; undefined for others. */
export function exactQuerySql(query: Query, fields: TypeFields): SqlCondition | undefined {
  if (fuzzyTexts(query).length > 0) return undefined
  return querySql(query, { ...fields, similarTerms: () => new Map() })
}

function fuzzyTexts(query: Query): (Query & { kind: 'text' })[] {
  switch (query.kind) {
    case 'text':
      return query.fuzzy ? [query] : []
    case 'not':
      return fuzzyTexts(query.of)
    case 'and':
    case 'or':
      return query.of.flatMap(fuzzyTexts)
    default:
      return []
  }
}

const TERMS_AT_ONCE = 5000

/** The words of a field that are a few letters away from the given ones, in one look at all words. */
async function similarTerms(
  session: Session,
  terms: readonly string[],
  prefix: TermPrefix,
): Promise<SimilarTerms> {
  const search = new SimilarTermSearch(terms, prefix)
  // Piece by piece: there may be millions of words.
  for (let from = search.from, sign = '>='; ; sign = '>') {
    const rows = await session.query(
      `SELECT term FROM oqs_vocabulary
       WHERE term ${sign} ? AND term < ? AND length(term) <= ? ORDER BY term LIMIT ${TERMS_AT_ONCE}`,
      [from, search.before, search.longest],
    )
    for (const [term] of rows) search.look(String(term))
    if (rows.length < TERMS_AT_ONCE) return search.found
    from = String(rows.at(-1)?.[0])
  }
}

/** The same, at most `limit`: through the indexes of words and places, which find few at once. */
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

/** How many rows there are for which the condition holds. */
export async function countRows(
  session: Session,
  table: number,
  { sql, values }: SqlCondition,
): Promise<number> {
  const [row] = await session.query(
    `SELECT count(*) FROM ${objectTable(table)} AS o WHERE ${sql}`,
    values,
  )
  return Number(row?.[0])
}

/**
 * How many of the current objects a condition holds for: all rows, but for those of the past. As
 * long as nobody asks which rows are current, an index alone can count, which takes a twentieth of
 * the time; those of the past have an index of their own.
 */
export async function countCurrentRows(
  session: Session,
  table: number,
  { sql, values }: SqlCondition,
): Promise<number> {
  const counted = `SELECT count(*) FROM ${objectTable(table)} AS o WHERE`
  const [row] = await session.query(
    `SELECT (${counted} ${sql}) - (${counted} o.valid_to < ${OPEN} AND ${sql})`,
    [...values, ...values],
  )
  return Number(row?.[0])
}

/** The anchor's values for each order term, or nothing when its row is gone. */
export async function readAnchor(
  session: Session,
  order: readonly OrderTerm[],
  numbers: FieldNumbers,
  head: TypeHead,
  { pk, version }: Place,
): Promise<Anchor | undefined> {
  if (order.length === 0) return { pk, values: [] }
  const table = await tableOfRow(session, head, version)
  if (table === undefined) return undefined
  const columns = order.map((term) => orderColumn(term, numbers).column)
  const [row] = await session.query(
    `SELECT ${columns.join(', ')} FROM ${objectTable(table)} AS o WHERE pk = ? AND valid_from = ?`,
    [pk, version],
  )
  return row && { pk, values: row as readonly (SqlValue | null)[] }
}
