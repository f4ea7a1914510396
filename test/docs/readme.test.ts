import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
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

  it('links to every page of the documentation', () => {
    const pages = globSync('docs/*.md').map((path) => basename(path))
    expect(pages.filter((page) => !readme.includes(`(docs/${page}`))).toEqual([])
  })
})
