import { globSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const readme = readFileSync('README.md', 'utf8')

/** `examples.test.ts` runs the commands of the README. */
describe('the README', () => {
  it('names the two commands that the package has', () => {
    const { scripts: commands } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(readme).toContain('npm ci && npm start')
    expect(readme).toContain('npm ci && npm test')
    expect(commands).toHaveProperty('start')
    expect(commands).toHaveProperty('test')
  })
})

describe('the map of the documentation', () => {
  const map = readFileSync('docs/README.md', 'utf8')

  it('leads to every page', () => {
    const pages = globSync('docs/**/*.md')
      .map((path) => relative('docs', path))
      .filter((path) => path !== 'README.md' && !/^decisions\/\d/.test(path))
    expect(pages.filter((page) => !map.includes(`](${page})`))).toEqual([])
  })

  it('is linked from the README, and fits a screen', () => {
    expect(readme).toContain('(docs/README.md)')
    expect(map.split('\n').length).toBeLessThanOrEqual(60)
  })
})
