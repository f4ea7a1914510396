import { describe, expect, it } from 'vitest'
import type { ObjectType, Property } from '../ontology/ontology.ts'
import type { Field, Query, TextMatch } from './query.ts'
import { averageLengthOf, scoreOf, textScorer, weightOf } from './relevance-score.ts'

const text = { kind: 'scalar', type: 'string' } as const
const properties: readonly Property[] = [
  { apiName: 'id', type: text },
  { apiName: 'name', type: text, language: 'english' },
  { apiName: 'tags', type: { kind: 'array', items: text } },
  {
    apiName: 'notes',
    type: { kind: 'array', items: { kind: 'struct', fields: new Map([['text', text]]) } },
  },
]
const objectType: ObjectType = {
  apiName: 'thing',
  rid: 'ri.ontology.main.object-type.0',
  primaryKey: { apiName: 'id', type: 'string' },
  titleProperty: undefined,
  retrievalLimit: undefined,
  access: 'all',
  properties: new Map(properties.map((property) => [property.apiName, property])),
}
const condition = (
  property: string,
  written: string,
  { match = 'anyTerm', fuzzy = false, structField }: TextOptions = {},
): Query => ({
  kind: 'text',
  field: { property, structField } satisfies Field,
  match,
  terms: written.toLowerCase().split(' '),
  fuzzy,
})

interface TextOptions {
  readonly match?: TextMatch
  readonly fuzzy?: boolean
  readonly structField?: string
}

function measure(query: Query, object: Record<string, unknown>) {
  const measured = textScorer(query, objectType)?.measure(object)
  return [measured?.frequencies, measured?.length]
}

/** Returns the names from the best to the worst; all terms have the same weight by default. */
function ranked(query: Query, names: readonly string[], weights?: readonly number[]): string[] {
  const scorer = textScorer(query, objectType)
  const measured = names.map((name) => scorer?.measure({ name }) ?? { frequencies: [], length: 0 })
  const averageLength = averageLengthOf(measured)
  const statistics = { averageLength, weights: weights ?? scorer?.terms.map(() => 100) ?? [] }
  const scores = new Map(names.map((name, at) => [name, scoreOf(measured[at] ?? NONE, statistics)]))
  for (const score of scores.values()) expect(Number.isSafeInteger(score)).toBe(true)
  return names.toSorted((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0))
}

const NONE = { frequencies: [], length: 0 }

describe('the score of an object', () => {
  it('is higher for short texts, repeated terms and rare terms', () => {
    const lake = condition('name', 'lake')
    expect(ranked(lake, ['the lake by the hill', 'lake', 'lake hill'])).toEqual([
      'lake',
      'lake hill',
      'the lake by the hill',
    ])
    expect(ranked(lake, ['lake of hill', 'lake of lake'])).toEqual(['lake of lake', 'lake of hill'])
    const both = condition('name', 'lake airport')
    const weights = [weightOf(3, 1000), weightOf(900, 1000)]
    expect(ranked(both, ['hill airport', 'hill lake'], weights)).toEqual([
      'hill lake',
      'hill airport',
    ])
  })

  it('counts a term as written twice, and its other forms once', () => {
    const name = 'Islands, an island, ISLAND'
    expect(measure(condition('name', 'islands'), { name })).toEqual([[4], 4])
    expect(measure(condition('name', 'island'), { name })).toEqual([[5], 4])
    // A property without a language has no other forms.
    expect(measure(condition('tags', 'island'), { tags: ['islands', 'island'] })).toEqual([[2], 2])
  })

  it('counts similar terms, beginnings and terms without a position', () => {
    const fuzzy = condition('tags', 'heathrow', { fuzzy: true })
    expect(measure(fuzzy, { tags: ['heathow', 'heathrow'] })).toEqual([[3], 2])
    const prefix = condition('tags', 'london hea', { match: 'prefix' })
    expect(measure(prefix, { tags: ['London Heathrow', 'Heap', 'hea'] })).toEqual([[2, 4], 4])
    expect(measure(condition('tags', 'dalene'), { tags: ["Coeur d'Alene"] })).toEqual([[2], 3])
    expect(measure(condition('tags', '日本'), { tags: ['日本語'] })).toEqual([[2, 1], 3])
  })

  it('counts the terms of each condition in its own field', () => {
    const query: Query = {
      kind: 'and',
      of: [condition('name', 'lake'), condition('notes', 'lake hill', { structField: 'text' })],
    }
    const notes = [{ text: 'lake' }, { text: 'a hill' }, {}]
    expect(measure(query, { name: 'lake lake', notes })).toEqual([[4, 2, 2], 5])
    expect(measure(query, {})).toEqual([[0, 0, 0], 0])
  })

  it('depends on the first eight terms and on the beginning of long texts', () => {
    const many = condition('name', 'a b c d e f g h i j')
    expect(textScorer(many, objectType)?.terms).toHaveLength(8)
    const [, length] = measure(condition('name', 'x'), { name: 'word '.repeat(1000) })
    expect(length).toBe(100)
  })

  it('does not exist without a text condition that is not negated', () => {
    expect(textScorer({ kind: 'everything' }, objectType)).toBeUndefined()
    expect(textScorer({ kind: 'not', of: condition('name', 'a') }, objectType)).toBeUndefined()
  })
})
