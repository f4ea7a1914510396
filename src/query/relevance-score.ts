/**
 * The score of an object within a tier, by BM25: rare terms count more than common ones, repeated
 * terms a little more than single ones, and short texts more than long ones. A term as it is written
 * in the query counts twice as much as another form of it, a similar term or a longer one.
 *
 * A score is a whole number, and depends on nothing but the object, the query and the statistics. So
 * all databases sort alike, and a walk that keeps its statistics keeps its order.
 */
import type { ObjectType } from '../ontology/ontology.ts'
import { fieldKey } from '../ontology/values/searchable-values.ts'
import { valuesAt } from '../ontology/values/values-at.ts'
import { analyseQuery, analyseText } from './matching/analyser.ts'
import { fuzzyDistance, isWithinEdits } from './matching/edit-distance.ts'
import { stemOf } from './matching/stem.ts'
import type { Field, Query } from './query.ts'
import { type TextCondition, textConditionsOf } from './relevance-tiers.ts'

/** The number of terms of a query that are scored. */
const MAX_SCORED_TERMS = 8

/** The number of characters of a field that are scored. */
const SCORED_LENGTH = 500

/** A term of the query in one of its fields. */
interface ScoredTerm {
  readonly field: Field
  /** Selects the objects that have the term. */
  readonly query: Query
  /** Returns 2 for the term as it is written, 1 for any other that matches, and otherwise 0. */
  readonly gradeOf: (term: string) => number
}

/** The statistics that must be the same on all pages of a tier. */
export interface TextStatistics {
  /** The weight of each scored term, by how rare it is. */
  readonly weights: readonly number[]
  /** The average number of terms in the scored fields of an object, in tenths. */
  readonly averageLength: number
}

/** The terms of the scored fields of an object. */
export interface MeasuredTexts {
  /** The grades of the terms that match each scored term, added up. */
  readonly frequencies: readonly number[]
  readonly length: number
}

export interface TextScorer {
  readonly terms: readonly ScoredTerm[]
  /** The properties whose values are measured. */
  readonly properties: readonly string[]
  readonly measure: (properties: Readonly<Record<string, unknown>>) => MeasuredTexts
}

/** Returns the scorer of a query; undefined if it has no terms to score. */
export function textScorer(query: Query, objectType: ObjectType): TextScorer | undefined {
  const terms = scoredTerms(query, objectType)
  if (terms.length === 0) return undefined
  const fields = [...Map.groupBy(terms, ({ field }) => fieldKey(field)).values()].map(
    (ofField) => ({
      field: (ofField[0] as ScoredTerm).field,
      gradesOf: rememberGrades(ofField.map((term) => [terms.indexOf(term), term.gradeOf] as const)),
    }),
  )
  return {
    terms,
    properties: [...new Set(terms.map(({ field }) => field.property))],
    measure: (properties) => {
      const frequencies = terms.map(() => 0)
      let length = 0
      for (const { field, gradesOf } of fields) {
        const analysed = analyseText(scoredText(properties[field.property], field))
        length += analysed.terms.length
        for (const term of [...analysed.terms, ...analysed.wholes]) {
          for (const [index, grade] of gradesOf(term)) {
            frequencies[index] = (frequencies[index] ?? 0) + grade
          }
        }
      }
      return { frequencies, length }
    },
  }
}

/** Returns the score of an object: the BM25 of its terms, with k1 = 1.2 and b = 0.75. */
export function scoreOf(
  { frequencies, length }: MeasuredTexts,
  { weights, averageLength }: TextStatistics,
): number {
  // 2,000 k1 (1 - b + b × length / average): frequencies are twice the number of terms.
  const norm = 600 + Math.floor((18_000 * length) / averageLength)
  return frequencies.reduce(
    (sum, frequency, index) =>
      sum + Math.floor(((weights[index] ?? 0) * frequency * 2200) / (frequency * 1000 + norm)),
    0,
  )
}

/** Returns the weight of a term: the fewer objects have it, the higher. */
export function weightOf(objects: number, allObjects: number): number {
  const others = Math.max(0, allObjects - objects)
  return Math.max(1, Math.round(100 * Math.log(1 + (others + 0.5) / (objects + 0.5))))
}

export function averageLengthOf(texts: readonly MeasuredTexts[]): number {
  const total = texts.reduce((sum, { length }) => sum + length, 0)
  return Math.max(1, Math.round((10 * total) / Math.max(1, texts.length)))
}

function scoredTerms(query: Query, objectType: ObjectType): ScoredTerm[] {
  const terms = textConditionsOf(query).flatMap((condition) => termsOf(condition, objectType))
  const distinct = new Map(terms.map((term) => [JSON.stringify(term.query), term]))
  return [...distinct.values()].slice(0, MAX_SCORED_TERMS)
}

function termsOf(condition: TextCondition, objectType: ObjectType): ScoredTerm[] {
  const { field, match, terms: written, fuzzy } = condition
  if (field === undefined) return []
  const language = objectType.properties.get(field.property)?.language
  const { words } = analyseQuery(written.join(' '))
  const phrases = words.flatMap((word) => word.phrases)
  return phrases.flatMap(({ terms, isPrefix }, at) =>
    terms.map((term, index): ScoredTerm => {
      const isLast = index === terms.length - 1
      const isBeginning = isLast && (isPrefix || (match === 'prefix' && at === phrases.length - 1))
      const stem = language && stemOf(term, language)
      const edits = fuzzy ? fuzzyDistance(term) : 0
      const isOther = (other: string) =>
        (isBeginning && other.startsWith(term)) ||
        (language !== undefined && stemOf(other, language) === stem) ||
        (edits > 0 && isWithinEdits(term, other, edits))
      return {
        field,
        query: {
          kind: 'text',
          field,
          match: isBeginning ? 'prefix' : 'allTerms',
          terms: [term],
          fuzzy: false,
        },
        gradeOf: (other) => (other === term ? 2 : isOther(other) ? 1 : 0),
      }
    }),
  )
}

type Grade = readonly [index: number, grade: number]

const NO_GRADES: readonly Grade[] = []
/** The grades of further terms are not remembered. */
const MAX_REMEMBERED = 20_000

/** The same terms occur in many texts. */
function rememberGrades(
  graders: readonly (readonly [index: number, gradeOf: (term: string) => number])[],
): (term: string) => readonly Grade[] {
  const remembered = new Map<string, readonly Grade[]>()
  return (term) => {
    const known = remembered.get(term)
    if (known !== undefined) return known
    const grades = graders
      .map(([index, gradeOf]): Grade => [index, gradeOf(term)])
      .filter(([, grade]) => grade > 0)
    if (remembered.size < MAX_REMEMBERED) {
      remembered.set(term, grades.length === 0 ? NO_GRADES : grades)
    }
    return grades
  }
}

/**
 * Returns the beginning of the texts of a field. Line breaks keep terms from spanning two values.
 */
function scoredText(value: unknown, { structField }: Field): string {
  let text = ''
  for (const one of valuesAt(value, structField)) {
    if (text.length >= SCORED_LENGTH) break
    if (typeof one === 'string') text += `${one.slice(0, SCORED_LENGTH)}\n`
  }
  return text.slice(0, SCORED_LENGTH)
}
