import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fcOptions } from '../../../../test/support/fc-options.ts'
import { LANGUAGES } from '../../../ontology/definition/language.ts'
import { finish } from '../../../ontology/pausable-work.ts'
import { indexedTerms, indexedTermsInSteps, type NumberedTexts } from './text-index.ts'

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
