/** What the SQL of a query needs to know about its tables, and about those that it links to. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Comparison, Field } from '../../../query/query.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { isMultiValued, type QueriedType, textFieldsOf } from '../../sql/compile/query-fields.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import type { Visibility } from '../../sql/plan/plan-rules.ts'
import {
  type FindSimilarTerms,
  SimilarTermSearch,
  type SimilarTerms,
} from '../../sql/text/similar-terms.ts'
import { fieldPrefix, indexedTerm, type TermPrefix } from '../../sql/text/text-index.ts'
import type { TableFields } from '../catalogue/table-fields.ts'
import { LIMIT, type TypeVersions, VISIBLE, visibilityValues } from '../catalogue/type-head.ts'
import type { StatementCache } from '../file/sqlite-session.ts'
import { countIn } from './count-in.ts'
import type { MatcherQuery } from './matchers.ts'
import type { QueryConnection } from './query-connection.ts'
import { cutField } from './text-test.ts'

export interface QueryTables extends QueriedType<TableFields> {
  /** The table of the query's type; undefined if rows are read although it is not created yet. */
  readonly table: number | undefined
  /** True if a field's values are in the table of array elements. */
  readonly isMultiValued: (field: Field) => boolean
  /** Bounds of a range that the cursor makes redundant. Hidden from SQLite, so that its index starts at the cursor. */
  readonly redundantBounds:
    | { readonly field: number; readonly operators: readonly Comparison[] }
    | undefined
  /** True if rows are read in key order, which no index of a range has. */
  readonly isKeyWalk: boolean
  /** Returns the number by which `matches` knows a condition until the transaction ends. */
  readonly matcherNumber: (query: MatcherQuery) => number
  readonly similarTerms: FindSimilarTerms
  /** Returns the table of a linked type; undefined if it is not created yet. */
  readonly linkedTable: (linkedType: ObjectType) => LinkedTable | undefined
  readonly linkedPlan: LinkedPlan
  /** Longer lists of object ids filter rows that are found by other means. */
  readonly maxFoundIds: number
  /** True if few rows are read as a rule: up to a limit, or those with one value. */
  readonly expectsFewRows: boolean
  /** Returns whether a statement selects at most this many rows. Each is counted once. */
  readonly hasAtMost: (rows: SqlCondition, maximum: number) => boolean
  /** How many links were followed to the table. */
  readonly depth: number
}

/** The table of a linked type, as of the version that the page reads. */
interface LinkedTable {
  readonly table: number
  readonly visible: SqlCondition
  readonly tables: QueryTables
}

/**
 * What linked rows are for: to find rows with an index, or to filter rows that are found by other
 * means. If they are few, they are gathered first; otherwise they are looked up row by row.
 */
export interface LinkedPlan {
  readonly kind: 'find' | 'filter'
  /** Up to this many linked row versions are few. */
  readonly maxGathered: number
}

/** The type of a query. */
interface QueriedVersion extends Pick<QueryTables, 'table' | 'objectType' | 'numbers'> {
  /** The versions of all types that the query reads. */
  readonly versions: TypeVersions
}

/** Returns what the SQL of a query needs. Each set of similar terms is looked up once. */
export function queryTables(
  connection: QueryConnection,
  { table, objectType, numbers, versions }: QueriedVersion,
): QueryTables {
  const { statements, matchers } = connection
  const similarByKey = new Map<string, SimilarTerms>()
  const linkedByRid = new Map<string, LinkedTable | undefined>()
  return {
    linkedTable: (linkedType) => {
      const { rid } = linkedType
      if (!linkedByRid.has(rid)) linkedByRid.set(rid, linkedTable(connection, linkedType, versions))
      return linkedByRid.get(rid)
    },
    linkedPlan: { kind: 'find', maxGathered: Infinity },
    maxFoundIds: Infinity,
    expectsFewRows: false,
    hasAtMost: rowCounter(statements),
    depth: 1,
    table,
    numbers,
    objectType,
    isMultiValued: (field) =>
      field.structField === undefined
        ? isMultiValued(objectType, field)
        : !numbers.hasColumn(field),
    redundantBounds: undefined,
    isKeyWalk: false,
    matcherNumber: (query) => matchers.numberOf(query),
    similarTerms: (terms, prefix, edits) => {
      const key = JSON.stringify([terms, prefix, edits])
      const found = { terms, prefix, edits }
      const similar =
        similarByKey.get(key) ?? findSimilarTerms(statements, { table, objectType, numbers }, found)
      similarByKey.set(key, similar)
      return similar
    },
  }
}

function linkedTable(
  connection: QueryConnection,
  objectType: ObjectType,
  versions: TypeVersions,
): LinkedTable | undefined {
  const state = versions.get(objectType.rid)
  if (state === undefined) throw new Error(`no version of ${objectType.apiName} was read`)
  const { table, isCreated, layout } = state.table
  if (!isCreated) return undefined
  const visibility: Visibility = state.isLatest ? 'current' : 'version'
  const numbers = connection.fields.read(state, layout)
  return {
    table,
    visible: { sql: VISIBLE[visibility], values: visibilityValues(visibility, state.version) },
    tables: queryTables(connection, { table, objectType, numbers, versions }),
  }
}

/** Row versions of a linked type that are gathered to find their objects: a few 100 milliseconds. */
const MAX_GATHERED_ROWS = 100_000
/** Row versions that are gathered to filter other rows: a few milliseconds. */
const MAX_FILTER_ROWS = 10_000

/** Finds rows by gathering what they are linked to, unless that is too much. */
export function gatherLinks(tables: QueryTables): QueryTables {
  return { ...tables, linkedPlan: { kind: 'find', maxGathered: MAX_GATHERED_ROWS } }
}

/** Filters rows that are found by other means. */
export function filterLinks(tables: QueryTables): QueryTables {
  return { ...tables, linkedPlan: { kind: 'filter', maxGathered: MAX_FILTER_ROWS } }
}

/** Returns a function that counts rows up to a maximum, each set of rows once. */
function rowCounter(statements: StatementCache): QueryTables['hasAtMost'] {
  const known = new Map<string, boolean>()
  return ({ sql, values }, maximum) => {
    if (maximum === Infinity) return true
    const key = [maximum, sql, ...values].join('\0')
    const rows = `(${sql} ${LIMIT})`
    const hasAtMost =
      known.get(key) ?? countIn(statements, rows, [...values, maximum + 1]) <= maximum
    known.set(key, hasAtMost)
    return hasAtMost
  }
}

/** Finds the terms of a field within a small edit distance, in one scan of the table. */
function findSimilarTerms(
  statements: StatementCache,
  { table, objectType, numbers }: Pick<QueriedVersion, 'table' | 'objectType' | 'numbers'>,
  { terms, prefix, edits }: SoughtTerms,
): SimilarTerms {
  const search = new SimilarTermSearch(terms, prefix, edits)
  const found = textFieldsOf(objectType).find((one) => fieldPrefix(numbers.of(one)) === prefix)
  if (table === undefined || found === undefined) return search.similarTerms
  const field = { ...found, prefix, language: undefined }
  const seen = new Set<string>()
  const rows = statements.prepare(`SELECT body FROM ${objectTable(table)}`).iterate()
  for (const row of rows) {
    const [body] = row as [string]
    for (const text of cutField(JSON.parse(body), field)) {
      for (const term of [...text.terms, ...text.wholes]) {
        if (seen.has(term)) continue
        seen.add(term)
        search.compare(indexedTerm(prefix, term))
      }
    }
  }
  return search.similarTerms
}

/** Terms of the field with a prefix, and how many edits similar ones may differ in. */
interface SoughtTerms {
  readonly terms: readonly string[]
  readonly prefix: TermPrefix
  readonly edits: number | undefined
}
