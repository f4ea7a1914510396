/** Checks that every rule of docs/spec.md has a test, and that every id in tests and code has a rule. */

import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const ID = /\[(\d+(?:\.\d+)+)\]/g

function idsIn(text: string): Set<string> {
  return new Set([...text.matchAll(ID)].map((match) => match[1] ?? ''))
}

const spec = readFileSync('docs/spec.md', 'utf8')
/** The id of a rule is the first cell of a row. */
const rules = new Set(
  [...spec.matchAll(/^\| \[(\d+(?:\.\d+)+)\] \|/gm)].map((match) => match[1] ?? ''),
)

const testFiles = [...globSync('test/**/*.test.ts'), ...globSync('src/**/*.test.ts')]
const testNames = testFiles.flatMap((path) =>
  [
    ...readFileSync(path, 'utf8').matchAll(
      /\b(?:it|describe)(?:\.each\([\s\S]*?\))?\(\s*(['`])(.*?)\1/g,
    ),
  ].map((match) => match[2] ?? ''),
)
const tested = idsIn(testNames.join('\n'))

describe('docs/spec.md', () => {
  it('lists the rules', () => {
    expect(rules.size).toBeGreaterThan(30)
  })

  it('has a test for every rule', () => {
    expect([...rules].filter((id) => !tested.has(id))).toEqual([])
  })

  it('has a rule for every id in a test or in the code', () => {
    const code = globSync('src/**/*.ts')
      .filter((path) => !path.endsWith('.test.ts'))
      .map((path) => readFileSync(path, 'utf8'))
    const used = new Set([...tested, ...idsIn(code.join('\n'))])
    const isKnown = (id: string) =>
      // A module may also refer to a whole part, such as [4.2].
      rules.has(id) || [...rules].some((rule) => rule.startsWith(`${id}.`))
    expect([...used].filter((id) => !isKnown(id))).toEqual([])
  })

  it('names a test file for each rule, and the file contains the id', () => {
    const rows = spec.split('\n').filter((line) => /^\| \[\d/.test(line))
    const wrong = rows.filter((row) => {
      const [, id = ''] = /\[([\d.]+)\]/.exec(row) ?? []
      const files = [...row.matchAll(/`((?:test|src)\/[^`]+\.test\.ts)`/g)].map(
        (match) => match[1] ?? '',
      )
      return (
        files.length === 0 || !files.every((path) => readFileSync(path, 'utf8').includes(`[${id}]`))
      )
    })
    expect(wrong).toEqual([])
  })
})
