/** What the SQL of a query depends on: the tables that it reads, and what their connection knows. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Comparison, Field, Position } from '../../../query/query.ts'
import type { FieldNumbers } from '../../sql/field-numbers.ts'
import type { SimilarTerms } from '../../sql/similar-terms.ts'
import type { SqlCondition } from '../../sql/sql-condition.ts'
import type { TermPrefix } from '../../sql/text-index.ts'
import type { MatcherQuery } from './matchers.ts'

export interface QueryTables {
  readonly numbers: FieldNumbers
  /** The fields that contain text. */
  readonly textFields: readonly Field[]
  /** True if a field's values are in the table of array elements. */
  readonly isMultiValued: (field: Field) => boolean
  /** Range bounds that the cursor makes redundant. They are hidden, so that the index uses the cursor. */
  readonly passedBounds:
    | { readonly field: number; readonly operators: readonly Comparison[] }
    | undefined
  /** Returns the number by which `within_ring` knows a ring until the transaction ends. */
  readonly ringNumber: (ring: readonly Position[]) => number
  /** Returns the number by which `matches` knows a condition until the transaction ends. */
  readonly matcherNumber: (query: MatcherQuery) => number
  /** True for a field of geopoints, whose positions are indexed. */
  readonly isGeoPoint: (field: Field) => boolean
  /** Returns, for each fuzzy term, the terms of a field that match it. */
  readonly similarTerms: (
    terms: readonly string[],
    prefix: TermPrefix,
    edits?: number,
  ) => SimilarTerms
  /** Returns the table of a linked type; undefined if it is not created yet. */
  readonly linkedTable: (linkedType: ObjectType) => LinkedTable | undefined
  readonly linkedPlan: LinkedPlan
  /** How many links were followed to the table. */
  readonly depth: number
}

/** The table of a linked type, as of the version that the page reads. */
export interface LinkedTable {
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
  readonly isFew: (linkedRows: SqlCondition) => boolean
}
