/** Arbitraries of interval rules about the words of some texts. */
import fc from 'fast-check'
import type { RequestQuery } from './query-model.ts'
import { plainTerms } from './query-terms.ts'

export function intervalQueries(pool: readonly string[]): fc.Arbitrary<RequestQuery> {
  const known = [...new Set(pool.flatMap(plainTerms))]
  const word = fc.constantFrom(...(known.length > 0 ? known : ['the']), 'fox', 'quick')
  const maxGaps = fc.constantFrom(undefined, 0, 1, 2, 5)
  const words = fc.array(word, { maxLength: 3 }).map((some) => some.join(' '))
  const { rule } = fc.letrec<{ rule: object; leaf: object }>((tie) => ({
    leaf: fc.oneof(
      fc.record({ type: fc.constant('match'), query: words, ordered: fc.boolean(), maxGaps }),
      fc.record({
        type: fc.constant('prefixOnLastToken'),
        query: fc.tuple(words, fc.nat(3)).map(([text, cut]) => shortened(text, cut)),
      }),
      fc.record({
        type: fc.constant('fuzzy'),
        term: fc.tuple(word, fc.nat(6)).map(([term, at]) => swapped(term, at)),
        fuzziness: fc.constantFrom(undefined, 0, 1, 2),
      }),
    ),
    rule: fc.oneof(
      { maxDepth: 2, depthSize: 'small' },
      tie('leaf'),
      fc.record({
        type: fc.constant('allOf'),
        rules: fc.array(tie('rule'), { minLength: 1, maxLength: 3 }),
        ordered: fc.boolean(),
        maxGaps,
      }),
      fc.record({
        type: fc.constant('anyOf'),
        rules: fc.array(tie('rule'), { minLength: 1, maxLength: 2 }),
      }),
    ),
  }))
  return rule
    .filter((one) => (JSON.stringify(one).match(/"fuzzy"/g) ?? []).length <= 2)
    .map((one) => ({ type: 'interval', rule: one }))
}

function shortened(text: string, cut: number): string {
  return cut === 0 ? text : [...text].slice(0, -cut).join('')
}

/** Two neighbours change places. */
function swapped(term: string, at: number): string {
  const characters = [...term]
  if (at + 1 >= characters.length) return term
  return characters
    .with(at, characters[at + 1] ?? '')
    .with(at + 1, characters[at] ?? '')
    .join('')
}
