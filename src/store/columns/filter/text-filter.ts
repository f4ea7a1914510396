/** Filters by the terms of texts. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import { fieldKey } from '../../../ontology/values/searchable-values.ts'
import type { Field, Query } from '../../../query/query.ts'
import { textFieldsOf } from '../../sql/compile/query-fields.ts'
import { SimilarTermSearch, type SimilarTerms } from '../../sql/text/similar-terms.ts'
import {
  type IndexedPhrase,
  type TermCondition,
  toTermCondition,
} from '../../sql/text/text-condition.ts'
import { fieldPrefix, indexedTerm, plainTerm, prefixOfTerm } from '../../sql/text/text-index.ts'
import type { Column } from '../segment/column.ts'
import type { Postings, TermRange } from '../segment/postings.ts'
import type { Segment } from '../segment/segment.ts'
import { and, type Filter, fromBits, NOTHING, or } from './filter.ts'
import { codesFilter } from './value-filter.ts'

type TextQuery = Query & { kind: 'text' }

/** Returns a filter for each segment; undefined if a field has no term index. */
export function textFilters(
  segments: readonly Segment[],
  objectType: ObjectType,
  query: TextQuery,
): readonly Filter[] | undefined {
  const fields =
    query.field === undefined ? (query.fields ?? textFieldsOf(objectType)) : [query.field]
  const indexes = segments.flatMap((segment) => termIndexes(segment, fields) ?? [])
  if (indexes.length < segments.length) return undefined
  const numbers = new Map(fields.map((field, number) => [fieldKey(field), number]))
  const condition = toTermCondition(query, {
    objectType,
    numbers: { of: (field) => numbers.get(fieldKey(field)) ?? 0 },
    // Similar terms of one segment are looked for in the others, too.
    similarTerms: (terms, prefix) => similarTerms(terms, prefix, indexes),
  })
  return indexes.map((index) => (condition === undefined ? NOTHING : termFilter(condition, index)))
}

/** The term indexes of the searched fields, by the prefix of their terms. */
export type TermIndexes = ReadonlyMap<string, FieldTerms>

interface FieldTerms {
  readonly postings: Postings
  /** The values, if the positions of the term index are codes. */
  readonly column: Column | undefined
}

export function termIndexes(segment: Segment, fields: readonly Field[]): TermIndexes | undefined {
  const indexes = new Map<string, FieldTerms>()
  for (const [number, field] of fields.entries()) {
    const postings = segment.postings(field)
    if (postings === undefined) return undefined
    const column = postings.of === 'codes' ? segment.column(field) : undefined
    indexes.set(fieldPrefix(number), { postings, column })
  }
  return indexes
}

export function similarTerms(
  terms: readonly string[],
  prefix: string,
  indexes: readonly TermIndexes[],
  edits?: number,
): SimilarTerms {
  if (terms.length === 0) return new Map()
  const search = new SimilarTermSearch(terms, prefix, edits)
  const seen = new Set<string>()
  for (const index of indexes) {
    const dictionary = index.get(prefix)?.postings.terms
    for (const term of dictionary?.slice(0, dictionary.size) ?? []) {
      if (indexes.length > 1 && seen.has(term)) continue
      if (indexes.length > 1) seen.add(term)
      search.compare(indexedTerm(prefix, term))
    }
  }
  return search.similarTerms
}

function termFilter(condition: TermCondition, indexes: TermIndexes): Filter {
  if (condition.kind === 'phrase') return phraseFilter(condition, indexes)
  const filters = condition.of.map((one) => termFilter(one, indexes))
  return condition.kind === 'and' ? and(filters) : or(filters)
}

function phraseFilter({ terms, isPrefix }: IndexedPhrase, indexes: TermIndexes): Filter {
  const prefix = prefixOfTerm(terms[0] ?? '')
  const index = indexes.get(prefix)
  if (index === undefined) throw new Error('the field has a term index')
  const { postings, column } = index
  const ranges = terms.map((term, at): TermRange => {
    const plain = plainTerm(term, prefix)
    if (isPrefix && at === terms.length - 1) return postings.termsFrom(plain)
    const number = postings.terms.find(plain)
    return number === undefined ? [0, 0] : [number, number + 1]
  })
  const [only, ...others] = ranges
  if (only === undefined || ranges.some(([from, to]) => from === to)) return NOTHING
  const found =
    others.length > 0 ? postings.positionsWithPhrase(ranges) : postings.positionsWith(only)
  return column === undefined ? fromBits(found) : codesFilter(column, found)
}
