import fc from 'fast-check'
import { expect, it } from 'vitest'
import { escapeFormula, unescapeFormula } from './write-csv.ts'

it.each([
  ['=1+1', "'=1+1"],
  ['+49 89', "'+49 89"],
  ['-SUM(A1)', "'-SUM(A1)"],
  ['@now', "'@now"],
  ['\t=1', "'\t=1"],
  ["'=1", "''=1"],
  ['-12.50', '-12.50'],
  ['+5', '+5'],
  ['-1e5', '-1e5'],
  ['a=1', 'a=1'],
  ["'tis", "'tis"],
  ['', ''],
])('writes the text %j as %j where formulas are escaped', (text, escaped) => {
  expect(escapeFormula(text)).toBe(escaped)
})

it('can be undone for every text', () => {
  const unit = fc.constantFrom("'", '=', '+', '-', '1', '.', 'a', '\t')
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      expect(unescapeFormula(escapeFormula(text))).toBe(text)
    }),
  )
})
