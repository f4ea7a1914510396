import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fcOptions } from '../../../../test/support/fc-options.ts'
import { finish } from '../../../ontology/values/steps.ts'
import { indexedTerms, type NumberedTexts } from '../../sql/text-index.ts'
import type { WriteSession } from '../driver/database.ts'
import { BatchTerms } from './batch-terms.ts'
import { lexemesText, TERM_BORDER } from './lexemes.ts'
import { Vocabulary } from './vocabulary.ts'
import { longTextCells } from './word-cells.ts'

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc
    .array(fc.constantFrom('a', 'B', 'rotor', 'Σ', 'ς', 'İ', '.', '-', ' ', '\ue0ff', "'", '@x'), {
      maxLength: 12,
    })
    .map((signs) => signs.join('')),
  fc.constantFrom('x'.repeat(600), `${'x'.repeat(600)}y`),
)
const objects = fc.array(
  fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.array(text, { maxLength: 3 })), {
    maxLength: 4,
  }),
  { maxLength: 6 },
)

async function savedTerms(vocabulary: Vocabulary): Promise<string[]> {
  const saved: string[] = []
  const run = async (_sql: string, values: readonly unknown[] = []) => {
    saved.push(...(values[0] as string[]))
    return 0
  }
  await vocabulary.save({ run } as unknown as WriteSession)
  return saved
}

it('writes the same cells and vocabulary for short texts as for long ones', async () => {
  await fc.assert(
    fc.asyncProperty(objects, async (batch: readonly (readonly NumberedTexts[])[]) => {
      const [vocabulary, expected] = [new Vocabulary(), new Vocabulary()]
      const terms = new BatchTerms(vocabulary)
      for (const texts of batch) {
        const { words, lexemes } = terms.cellsOf(texts)
        if (texts.length === 0) {
          expect([words, lexemes]).toEqual([undefined, undefined])
          continue
        }
        const indexed = indexedTerms(texts)
        expect(words).toBe(indexed === '' ? ' ' : ` ${indexed} `)
        const distinct = new Set(indexed.split(' ').filter((term) => term !== ''))
        distinct.delete(TERM_BORDER)
        const lexemeSet = (cell: string | undefined) => new Set((cell ?? '').trim().split(' '))
        expect(lexemeSet(lexemes)).toEqual(lexemeSet(lexemesText(distinct)))
        finish(longTextCells(texts, expected))
      }
      expect(await savedTerms(vocabulary)).toEqual(await savedTerms(expected))
    }),
    fcOptions(200),
  )
})
