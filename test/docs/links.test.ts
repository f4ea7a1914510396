import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const PAGES = [...globSync('*.md'), ...globSync('docs/**/*.md')]

/** Pages for operators, with commands that need a server or root and are therefore not run. */
const OPERATOR_PAGES = [
  'docs/how-to/backups.md',
  'docs/how-to/postgresql.md',
  'docs/how-to/production.md',
  'docs/how-to/releases.md',
  'docs/how-to/sign-in.md',
]

/** The anchors that GitHub creates for the headings of a page. */
function anchorsOf(path: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutBlocks(path).matchAll(/^#{1,6} (.*)$/gm)) {
    const base = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    let anchor = base
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${base}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

function withoutBlocks(path: string): string {
  return readFileSync(path, 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')
}

const FILES = ['src', 'test', 'scripts', 'bin'].flatMap((folder) => globSync(`${folder}/**/*.*`))

/** True if a page in a folder can name a file so: a page beside the code by its path from there. */
function isSource(file: string, folder: string): boolean {
  if (folder.startsWith('src/')) return existsSync(join(folder, file)) || existsSync(file)
  return FILES.some((path) => `/${path}`.endsWith(`/${file}`))
}

describe('the pages', () => {
  it('link only to headings that exist', () => {
    const broken = PAGES.flatMap((path) =>
      [...withoutBlocks(path).matchAll(/\]\((?!https?:)([^)#]*)#([^)]*)\)/g)]
        .filter(([, file = '', anchor = '']) => {
          const target = file === '' ? path : join(dirname(path), file)
          return !anchorsOf(target).has(anchor)
        })
        .map(([link]) => `${path}: ${link}`),
    )
    expect(broken).toEqual([])
  })

  it('exist where the code refers to them', () => {
    const missing = ['src', 'test', 'scripts']
      .flatMap((folder) => globSync(`${folder}/**/*.ts`))
      .flatMap((path) =>
        [...readFileSync(path, 'utf8').matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(
          ([page]) => [path, page] as const,
        ),
      )
      .filter(([, page]) => !existsSync(page))
      .map((missingPage) => missingPage.join(': '))
    expect(missing).toEqual([])
  })

  it('name only files of the sources that exist', () => {
    const missing = [...PAGES, ...globSync('src/**/*.md')]
      .filter((path) => !path.startsWith('docs/decisions/'))
      .flatMap((path) =>
        [...withoutBlocks(path).matchAll(/`([\w-]+\/[\w/-]+\.tsx?|[\w-]+\.ts)`/g)]
          .filter(([, file = '']) => !isSource(file, dirname(path)))
          .map(([, file]) => `${path}: ${file}`),
      )
    expect(missing).toEqual([])
  })

  it('have commands that no test runs only where they need a server or root', () => {
    const withCommands = PAGES.filter((path) => /^```bash$/m.test(readFileSync(path, 'utf8')))
    expect(withCommands.filter((path) => !OPERATOR_PAGES.includes(path))).toEqual([])
  })
})
