import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fcOptions } from '../../../../test/support/fc-options.ts'
import { readLexemes } from '../../../../test/support/read-lexemes.ts'
import { finish } from '../../../ontology/pausable-work.ts'
import { fieldPrefix, indexedTerms, type NumberedTexts } from '../../sql/text/text-index.ts'
import { BatchTerms } from './batch-terms.ts'
import { lexemeOf, longTextCells, TERM_BORDER, WORDS_DECIDE } from './lexemes.ts'
import { Vocabulary } from './save-terms.ts'

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc
    .array(fc.constantFrom('a', 'B', 'rotor', 'Σ', 'ς', 'İ', '.', '-', ' ', '\ue0ff', "'", '@x'), {
      maxLength: 12,
    })
    .map((signs) => signs.join('')),
  fc.constantFrom('the islands', 'Häuser', 'island'),
  fc.constantFrom('x'.repeat(600), `${'x'.repeat(600)}y`),
)
const objects = fc.array(
  fc.array(
    fc.tuple(
      fc.integer({ min: 1, max: 12 }),
      fc.array(text, { maxLength: 3 }),
      fc.constantFrom(undefined, 'english' as const, 'german' as const),
    ),
    { maxLength: 4 },
  ),
  { maxLength: 6 },
)

it('writes all terms of a batch', () => {
  fc.assert(
    fc.property(objects, (batch: readonly (readonly NumberedTexts[])[]) => {
      const [vocabulary, expected] = [new Vocabulary(), new Vocabulary()]
      const terms = new BatchTerms(vocabulary)
      for (const texts of batch) {
        const { words, lexemes } = terms.cellsOf(texts)
        if (texts.length === 0) {
          expect([words, lexemes]).toEqual([undefined, undefined])
          continue
        }
        const indexed = indexedTerms(texts)
        const distinct = new Set(indexed.split(' ').filter((term) => term !== ''))
        distinct.delete(TERM_BORDER)
        const isPlaced = [...distinct].every((term) => term.length <= 500)
        expect(words).toBe(isPlaced ? undefined : ` ${indexed} `)
        const found = new Set(lexemes === undefined ? [] : readLexemes(lexemes).keys())
        if (!found.delete(WORDS_DECIDE)) expect(isPlaced).toBe(true)
        expect(found).toEqual(new Set(Array.from(distinct, lexemeOf)))
        const long = finish(longTextCells(texts, expected))
        if (!isPlaced) expect({ words, lexemes }).toEqual(long)
      }
      expect([...vocabulary.parts()]).toEqual([...expected.parts()])
    }),
    fcOptions(200),
  )
})

it('gives each term a position, and leaves one free between two values of a field', () => {
  const terms = new BatchTerms(new Vocabulary())
  const cellsOf = (...texts: NumberedTexts[]) => terms.cellsOf(texts)
  const prefix = fieldPrefix(1)
  const { words, lexemes } = cellsOf([1, ['a b', "o'b"]], [2, ['a']])
  expect(words).toBe(undefined)
  expect(Object.fromEntries(readLexemes(lexemes ?? new Uint8Array()))).toEqual({
    [`${prefix}a`]: [1],
    [`${prefix}b`]: [2, 5],
    [`${prefix}o`]: [4],
    [`${prefix}ob`]: [],
    [`${fieldPrefix(2)}a`]: [1],
  })
  // PostgreSQL would lose positions.
  for (const text of ['a '.repeat(256), 'a b c d e f g '.repeat(2500)]) {
    const cells = cellsOf([1, [text]])
    expect(cells.words).toBe(` ${indexedTerms([[1, [text]]])} `)
    expect([...readLexemes(cells.lexemes ?? new Uint8Array()).keys()]).toContain(WORDS_DECIDE)
  }
  expect(cellsOf([1, ['a '.repeat(255)]]).words).toBe(undefined)
})
