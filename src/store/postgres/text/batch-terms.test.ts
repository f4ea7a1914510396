import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { BatchTerms } from './batch-terms.ts'
import { Vocabulary } from './vocabulary.ts'

const OBJECTS = 40
const TEXT_LENGTH = 60_000

it('frees the positions of terms after each object', () => {
  const terms = new BatchTerms(new Vocabulary(), 'analyser')
  const before = usedMegabytes()
  for (let object = 0; object < OBJECTS; object += 1) {
    const word = `w${object} `
    const value = word.repeat(TEXT_LENGTH / word.length)
    terms.cellsOf([[1, [value], undefined]])
  }
  expect(usedMegabytes() - before).toBeLessThan(5)
  // Keeps the terms alive until here.
  expect(terms.cellsOf([[1, ['w1'], undefined]]).lexemes).toContain(':1')
})

function usedMegabytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed / 2 ** 20
}
