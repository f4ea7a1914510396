/** What the SQL of a query needs to know about its tables, and about those that it links to. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Comparison, Query } from '../../../query/query.ts'
import { cutField } from '../../columns/scan/text-test.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { type QueriedType, textFieldsOf } from '../../sql/compile/query-fields.ts'
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
import type { QueryConnection } from './query-connection.ts'
import type { RowTests } from './row-tests.ts'

export interface QueryTables extends QueriedType<TableFields> {
  readonly table: number
  /** Bounds of a range that the cursor makes redundant. Hidden from SQLite, so that its index starts at the cursor. */
  readonly redundantBounds:
    | { readonly field: number; readonly operators: readonly Comparison[] }
    | undefined
  /** True if rows are read in the order of the page, so that conditions only filter them. */
  readonly isWalk: boolean
  /** Up to this many linked row versions are gathered; more are looked up row by row. */
  readonly maxGathered: number
  readonly tests: RowTests
  /** The calls of tests that are prepared. */
  readonly testCalls: Map<Query, SqlCondition>
  readonly similarTerms: FindSimilarTerms
  /** Returns the table of a linked type; undefined if it is not created yet. */
  readonly linkedTable: (linkedType: ObjectType) => LinkedTable | undefined
  /** Returns whether a statement selects at most this many rows. Each is counted once. */
  readonly hasAtMost: (rows: SqlCondition, maximum: number) => boolean
  /** How many links were followed to the table. */
  readonly depth: number
}

/** The table of a linked type, as of the version that the page reads. */
interface LinkedTable {
  readonly visible: SqlCondition
  readonly tables: QueryTables
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
  const { statements, tests } = connection
  const similarByKey = new Map<string, SimilarTerms>()
  const linkedByRid = new Map<string, LinkedTable | undefined>()
  return {
    linkedTable: (linkedType) => {
      const { rid } = linkedType
      if (!linkedByRid.has(rid)) linkedByRid.set(rid, linkedTable(connection, linkedType, versions))
      return linkedByRid.get(rid)
    },
    hasAtMost: rowCounter(statements),
    depth: 1,
    table,
    numbers,
    objectType,
    redundantBounds: undefined,
    isWalk: false,
    maxGathered: Infinity,
    tests,
    testCalls: new Map(),
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
    visible: { sql: VISIBLE[visibility], values: visibilityValues(visibility, state.version) },
    tables: queryTables(connection, { table, objectType, numbers, versions }),
  }
}

/** Finds rows by gathering what they are linked to, unless that takes more than a few 100 ms. */
export function finding(tables: QueryTables): QueryTables {
  return { ...tables, maxGathered: 100_000 }
}

/** Filters rows that are read in the order of the page; to gather linked rows may take a few ms. */
export function walking(tables: QueryTables): QueryTables {
  return { ...tables, isWalk: true, maxGathered: 10_000 }
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
  if (found === undefined) return search.similarTerms
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
