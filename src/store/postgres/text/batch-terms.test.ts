import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { readLexemes } from '../../../../test/support/read-lexemes.ts'
import { fieldPrefix } from '../../sql/text/text-index.ts'
import { BatchTerms } from './batch-terms.ts'
import { Vocabulary } from './save-terms.ts'

const OBJECTS = 40
const TEXT_LENGTH = 60_000

it('frees the positions of terms after each object', () => {
  const terms = new BatchTerms(new Vocabulary())
  const before = usedMegabytes()
  for (let object = 0; object < OBJECTS; object += 1) {
    const word = `w${object} `
    const value = word.repeat(TEXT_LENGTH / word.length)
    terms.cellsOf([[1, [value], undefined]])
  }
  expect(usedMegabytes() - before).toBeLessThan(5)
  // Keeps the terms alive until here.
  expect(lexemesOf(terms, 'w1')).toEqual([[`${fieldPrefix(1)}w1`, [1]]])
})

it('drops terms between objects, never within one', () => {
  const terms = new BatchTerms(new Vocabulary())
  const words = Array.from({ length: 12_000 }, (_, n) => `w${n}`)
  for (let field = 1; field <= 6; field += 1) {
    const texts = [`${words.join(' ')} w1 w2`]
    const { lexemes = new Uint8Array() } = terms.cellsOf([[field, texts, undefined]])
    const found = readLexemes(lexemes)
    expect(found.size).toBe(words.length)
    expect(found.get(`${fieldPrefix(field)}w1`)).toEqual([2, 12_001])
  }
  expect(lexemesOf(terms, 'w2 w2')).toEqual([[`${fieldPrefix(1)}w2`, [1, 2]]])
})

function lexemesOf(terms: BatchTerms, text: string) {
  const { lexemes = new Uint8Array() } = terms.cellsOf([[1, [text], undefined]])
  return [...readLexemes(lexemes)]
}

function usedMegabytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed / 2 ** 20
}
