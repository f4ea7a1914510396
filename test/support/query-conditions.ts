/** Arbitraries of the values and texts that conditions compare with, mostly ones from the data. */

import fc from 'fast-check'
import type { QueryField } from './query-arbitraries.ts'
import type { RequestQuery } from './query-model.ts'
import { SAMPLES, separators, spell, texts } from './query-samples.ts'
import { canBeEqual, canBeLess } from './query-values.ts'

const RANGES = ['lt', 'lte', 'gt', 'gte'] as const

export function comparisons(field: QueryField, written: string): fc.Arbitrary<RequestQuery>[] {
  if (!canBeEqual(field.type)) return []
  const operators = canBeLess(field.type) ? (['eq', ...RANGES] as const) : (['eq'] as const)
  return [
    fc
      .tuple(fc.constantFrom(...operators), valuesFor(field))
      .map(([type, value]) => ({ type, field: written, value })),
  ]
}

/** Values to compare with: mostly ones from the data, in any spelling. */
export function valuesFor({ type, pool }: QueryField): fc.Arbitrary<unknown> {
  return fc
    .tuple(
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...pool) },
        { weight: 1, arbitrary: SAMPLES[type] },
      ),
      fc.nat(60),
    )
    .map(([value, variant]) => spell(type, value, variant))
}

/** Query texts: consecutive words of the data, truncated, misspelt, or in another case. */
export function queryTexts(pool: readonly unknown[]): fc.Arbitrary<string> {
  const known = fc.constantFrom(...(pool.length > 0 ? pool.map(String) : ['the quick fox']))
  const inOne = fc
    .tuple(known.map(wordsOf), fc.nat(3), fc.integer({ min: 1, max: 3 }))
    .map(([words, from, count]) => words.slice(from % Math.max(words.length, 1)).slice(0, count))
  // The end of one text and the start of another: adjacent only if the boundary is lost.
  const inTwo = fc
    .tuple(known.map(wordsOf), known.map(wordsOf))
    .map(([one, other]) => [...one.slice(-1), ...other.slice(0, 1)])
  const hits = fc
    .tuple(
      fc.oneof({ weight: 3, arbitrary: inOne }, { weight: 1, arbitrary: inTwo }),
      separators,
      fc.nat(2),
    )
    .chain(([words, separator, cut]) => {
      const text = words.join(separator)
      const short = cut === 0 ? text : [...text].slice(0, -cut).join('')
      return fc.oneof(
        fc.constantFrom(text, short, short.toUpperCase(), text.toLowerCase()),
        misspelt(text),
      )
    })
  return fc.oneof(
    { weight: 8, arbitrary: hits },
    { weight: 2, arbitrary: texts },
    { weight: 1, arbitrary: fc.constantFrom('', '.', ' ?! ', ' . - .') },
  )
}

function wordsOf(text: string): string[] {
  return text.split(/[\s?!:;(){}"~-]+/u).filter((word) => word !== '')
}

/** One to three letters removed, inserted or replaced. */
function misspelt(text: string): fc.Arbitrary<string> {
  const edit = fc.tuple(fc.nat(8), fc.nat(1), fc.constantFrom('', 'x'))
  return fc.array(edit, { minLength: 1, maxLength: 3 }).map((edits) => {
    const characters = [...text]
    for (const [at, removed, added] of edits) characters.splice(at, removed, added)
    return characters.join('')
  })
}
