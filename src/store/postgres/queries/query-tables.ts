/** What the SQL of a query needs to know about its table, and about those that it links to. */
import type { Language } from '../../../ontology/definition/language.ts'
import type { Field } from '../../../query/query.ts'
import type { FieldNumbers } from '../../sql/compile/field-numbers.ts'
import type { Presence } from '../../sql/compile/query-fields.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import type { SimilarTerms } from '../../sql/text/similar-terms.ts'
import type { TermPrefix } from '../../sql/text/text-index.ts'
import type { FieldColumns } from '../catalogue/field-columns.ts'

/** The fields of a type, as one of its tables stores them. */
export interface TypeFields {
  readonly columnsOf: (field: Field) => FieldColumns
  /** Maps properties to their columns. */
  readonly numbers: FieldNumbers
  /** The properties whose index holds only the first characters of their texts. */
  readonly prefixFields: ReadonlySet<string>
  /** Returns the fields that contain text. */
  readonly textFields: () => readonly Field[]
  readonly languageOf: (field: Field) => Language | undefined
  readonly presenceOf: (field: Field) => Presence
  /** True for a field of geopoints, whose positions are indexed. */
  readonly isGeoPoint: (field: Field) => boolean
}

export interface QueryTables extends TypeFields {
  /** Returns, for each fuzzy term, the terms of a field that match it. */
  readonly similarTerms: (
    terms: readonly string[],
    prefix: TermPrefix,
    edits?: number,
  ) => SimilarTerms
  readonly links: LinkedTables
  /** How many links were followed to the table. */
  readonly depth: number
}

/** The tables of the types that a query links to. */
export interface LinkedTables {
  /** By RID; undefined for a table that is not created yet. */
  readonly tables: ReadonlyMap<string, LinkedTable | undefined>
  /** Whether linked rows are gathered first: Citus cannot look them up on other machines. */
  readonly isGathered: boolean
}

/** The table of a linked type, as of the version that the page reads. */
export interface LinkedTable extends TypeFields {
  readonly table: number
  readonly visible: SqlCondition
}

export const NO_LINKS: LinkedTables = { tables: new Map(), isGathered: false }
