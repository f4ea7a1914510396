import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fcOptions } from '../../../../test/support/fc-options.ts'
import { LANGUAGES } from '../../../ontology/definition/language.ts'
import { finish } from '../../../ontology/pausable-work.ts'
import { indexedTerms, indexedTermsInSteps, type NumberedTexts } from './text-index.ts'
import { WordCutter } from './word-cutter.ts'

/** Texts that are longer than one step, with many separators or hardly any. */
const longText = fc
  .tuple(
    fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { minLength: 1, maxLength: 20 }),
    fc.constantFrom(' ', ', ', '', '. ', '/', '++=\u0338'),
    fc.integer({ min: 0, max: 400 }),
  )
  .map(([words, separator, times]) => `${words.join(separator)}${separator}`.repeat(times))
const language = fc.option(fc.constantFrom(...LANGUAGES), { nil: undefined })
const fields = fc.array(
  fc.tuple(
    fc.integer({ min: 1, max: 9 }),
    fc.array(longText, { minLength: 1, maxLength: 3 }),
    language,
  ),
  { maxLength: 3 },
)

it('cuts a text in steps into the same terms as at once', () => {
  fc.assert(
    fc.property(fields, (texts: readonly NumberedTexts[]) => {
      const pieces: string[] = []
      finish(indexedTermsInSteps(texts, (piece) => pieces.push(piece)))
      expect(pieces.join(' ')).toBe(indexedTerms(texts))
    }),
    fcOptions(20),
  )
})

const anyText = fc.oneof(
  fc.constantFrom('Islands of the sea', 'Häuser an Flüssen', 'des généraux', 'ciudades'),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc
    .array(
      fc.constantFrom(
        ...".. aZ09-~\u00a0\u3000\ufeff\u0085ÄßİΣς\ue000\ue0fe\ue0ff\u{1f600}@#/_+&'’\u0301東京が\u3099กि\u{1d400}\u{20000}",
      ),
      { maxLength: 30 },
    )
    .map((signs) => signs.join('')),
)

it('cuts terms in one pass into the bytes of the same terms', () => {
  const cutter = new WordCutter()
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(fc.integer({ min: 1, max: 999 }), fc.array(anyText, { maxLength: 4 }), language),
      ),
      (texts: readonly NumberedTexts[]) => {
        expect(Buffer.from(cutter.cut(texts)).toString()).toBe(indexedTerms(texts))
      },
    ),
    fcOptions(500),
  )
  const long: NumberedTexts[] = [[7, ["a ä - x-y o'b 東京 ".repeat(20_000), '. .']]]
  expect(Buffer.from(cutter.cut(long)).toString()).toBe(indexedTerms(long))
})
