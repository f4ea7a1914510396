import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fcOptions } from '../../../../test/support/fc-options.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import { termsOf } from '../../../query/matching/terms.ts'
import type { SqlCondition } from '../../sql/sql-condition.ts'
import { Database } from '../driver/database.ts'
import { hasAnyTerm, hasPhrase, hasTerms, separatedTerms } from './term-tests.ts'

let place: TestStore
let database: Database
beforeAll(async () => {
  place = await createTestStore()
  database = new Database(place.name)
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

/** Letters with several cases, separators, and characters that expressions and arrays treat specially. */
const PIECES = [
  ...['a', 'A', 'b', 'k', 'K', '\u212a', 'i', 'I', '\u0130', '\u0131', '\u0307', 's', 'ß', 'ẞ'],
  ...['Σ', 'σ', 'ς', 'Ä', 'ä', 'å', '\u212b', 'ǅ', 'ﬁ', 'Ꭰ', 'ꭰ', '𐐀', '𐐨', '日', '👍', '_', '1'],
  ...[' ', '  ', '\t', '\n', '\u00a0', '\u2003', '\u3000', '\ufeff', '\u200b', '\u0085'],
  ...['.', ' . ', '-', ',', "'", '"', '~', '(', ']', '{', '*', '+', '\\', '^', '$', '|', '%', '/'],
]
const text = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter((one) => !one.includes('\0')),
)
/** Terms of the text itself, of which some follow each other, or of another text. */
const sample = fc
  .record({
    text,
    other: text,
    start: fc.nat({ max: 4 }),
    length: fc.integer({ min: 1, max: 4 }),
    cut: fc.nat({ max: 3 }),
    isOther: fc.boolean(),
  })
  .map(({ text: one, other, start, length, cut, isOther }) => {
    const listed = termsOf(isOther ? other : one).slice(start, start + length)
    const last = listed.at(-1) ?? ''
    const terms = cut === 0 ? listed : [...listed.slice(0, -1), [...last].slice(0, cut).join('')]
    return { text: one.toWellFormed(), terms: terms.filter((term) => term !== '' && term !== '.') }
  })
  .filter(({ terms }) => terms.length > 0)

/** Longer than any phrase that is written as an expression. */
const REPEATED = 300

async function testAll(tests: readonly { readonly text: string; readonly test: SqlCondition }[]) {
  const sql = tests.map(
    ({ test }) => `SELECT (SELECT ${test.sql} FROM (SELECT ?::text) AS t (text))`,
  )
  // The bound text comes after the values of its test.
  const values = tests.flatMap(({ text: one, test }) => [...test.values, one])
  const rows = await database.query(sql.join(' UNION ALL '), values)
  return rows.map(([result]) => result)
}

const TEXT = 't.text COLLATE "C"'
const contains = (all: readonly string[], terms: readonly string[], isPrefix: boolean) =>
  all.some((_, at) =>
    terms.every((term, n) => {
      const own = all[at + n]
      return isPrefix && n === terms.length - 1 ? own?.startsWith(term) : own === term
    }),
  )

it('tests texts exactly as the service cuts terms', async () => {
  const samples = fc.array(sample, { minLength: 20, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(samples, async (some) => {
      const cases = some.flatMap(({ text: one, terms }) => {
        const all = termsOf(one)
        const long = `${one} ${'x '.repeat(REPEATED)}`
        const longTerms = [...terms, ...Array<string>(REPEATED).fill('x')]
        return [
          ...[false, true].flatMap((isPrefix) => [
            {
              text: one,
              test: hasPhrase(TEXT, { terms, isPrefix }),
              expected: contains(all, terms, isPrefix),
            },
            {
              text: long,
              test: hasPhrase(TEXT, { terms: longTerms, isPrefix }),
              expected: contains(termsOf(long), longTerms, isPrefix),
            },
          ]),
          {
            text: one,
            test: hasAnyTerm(TEXT, terms),
            expected: terms.some((term) => all.includes(term)),
          },
          {
            text: one,
            test: hasTerms(TEXT, terms),
            expected: terms.every((term) => all.includes(term)),
          },
        ]
      })
      const results = await testAll(cases)
      expect(cases.filter(({ expected }, at) => results[at] !== expected)).toEqual([])
    }),
    fcOptions(40),
  )
})

it('separates terms by single spaces', async () => {
  await fc.assert(
    fc.asyncProperty(text, async (one) => {
      const terms = termsOf(one.toWellFormed())
      const { sql, values } = separatedTerms(TEXT, terms)
      const [row] = await database.query(`SELECT ${sql} FROM (SELECT ?::text) AS t (text)`, [
        ...values,
        one.toWellFormed(),
      ])
      expect(
        String(row?.[0])
          .split(' ')
          .filter((term) => term !== ''),
      ).toEqual(terms)
    }),
    fcOptions(60),
  )
})
