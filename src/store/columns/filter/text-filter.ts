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
import { type Bits, bitsFor } from '../image/bits.ts'
import type { Postings } from '../segment/postings.ts'
import type { Segment } from '../segment/segment.ts'

type TextQuery = Query & { kind: 'text' }

/** Returns the positions of the matches; undefined if a field has no term index. */
export function findTexts(
  segments: readonly Segment[],
  objectType: ObjectType,
  query: TextQuery,
): readonly Bits[] | undefined {
  const fields =
    query.field === undefined ? (query.fields ?? textFieldsOf(objectType)) : [query.field]
  const indexes = segments.flatMap((segment) => indexOf(segment, fields) ?? [])
  if (indexes.length < segments.length) return undefined
  const numbers = new Map(fields.map((field, number) => [fieldKey(field), number]))
  const condition = toTermCondition(query, {
    objectType,
    numbers: { of: (field) => numbers.get(fieldKey(field)) ?? 0 },
    // Similar terms of one segment are looked for in the others, too.
    similarTerms: (terms, prefix) => similarTerms(terms, prefix, indexes),
  })
  return segments.map((segment, at) => {
    const index = indexes[at]
    if (condition === undefined || index === undefined) return bitsFor(segment.size)
    return evaluate(condition, index, segment.size)
  })
}

/** The term indexes of the searched fields, by the prefix of their terms. */
type TermIndexes = ReadonlyMap<string, Postings>

function indexOf(segment: Segment, fields: readonly Field[]): TermIndexes | undefined {
  const indexes = new Map<string, Postings>()
  for (const [number, field] of fields.entries()) {
    const postings = segment.postings(field)
    if (postings === undefined) return undefined
    indexes.set(fieldPrefix(number), postings)
  }
  return indexes
}

function similarTerms(
  terms: readonly string[],
  prefix: string,
  indexes: readonly TermIndexes[],
): SimilarTerms {
  if (terms.length === 0) return new Map()
  const search = new SimilarTermSearch(terms, prefix)
  const seen = new Set<string>()
  for (const index of indexes) {
    const dictionary = index.get(prefix)?.terms
    for (const term of dictionary?.slice(0, dictionary.size) ?? []) {
      if (indexes.length > 1 && seen.has(term)) continue
      if (indexes.length > 1) seen.add(term)
      search.compare(indexedTerm(prefix, term))
    }
  }
  return search.similarTerms
}

function evaluate(condition: TermCondition, indexes: TermIndexes, size: number): Bits {
  if (condition.kind === 'phrase') return phraseBits(condition, indexes, size)
  const [first, ...others] = condition.of.map((one) => evaluate(one, indexes, size))
  if (first === undefined) throw new Error('a condition combines others')
  for (const other of others) {
    for (let word = 0; word < first.length; word += 1) {
      const [a, b] = [first[word] as number, other[word] as number]
      first[word] = condition.kind === 'and' ? a & b : a | b
    }
  }
  return first
}

function phraseBits({ terms, isPrefix }: IndexedPhrase, indexes: TermIndexes, size: number): Bits {
  const prefix = prefixOfTerm(terms[0] ?? '')
  const postings = indexes.get(prefix)
  const bits = bitsFor(size)
  if (postings === undefined) throw new Error('the field has a term index')
  const ranges = terms.map((term, at): readonly [from: number, to: number] => {
    const plain = plainTerm(term, prefix)
    if (isPrefix && at === terms.length - 1) return postings.termsFrom(plain)
    const number = postings.terms.find(plain)
    return number === undefined ? [0, 0] : [number, number + 1]
  })
  const [only, ...others] = ranges
  if (only === undefined || ranges.some(([from, to]) => from === to)) return bits
  if (others.length > 0) return postings.findPhrase(ranges)
  postings.markRows(...only, bits)
  return bits
}
