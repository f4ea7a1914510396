/** The pages of the documentation, in the order of their map, and where each lies on the site. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface DocumentPage {
  /** From the folder of the repository. */
  readonly source: string
  readonly target: string
  readonly title: string
  readonly text: string
}

/** A part of the map with its pages in order. */
export interface Chapter {
  readonly title: string
  readonly pages: readonly DocumentPage[]
}

const MAP = 'docs/README.md'
const LINK = /\[[^\]]+\]\(([^)#]+\.md)\)/g

/** Returns all pages by their sources. */
export function readPages(): ReadonlyMap<string, DocumentPage> {
  const sources = [...globSync('*.md'), ...globSync('docs/**/*.md')].toSorted()
  return new Map(sources.map((source) => [source, readPage(source)]))
}

function readPage(source: string): DocumentPage {
  const text = readFileSync(source, 'utf8')
  const [, title = source] = /^# (.+)$/m.exec(text) ?? []
  return { source, target: targetOf(source), title: title.replaceAll('`', ''), text }
}

function targetOf(source: string): string {
  if (source === 'README.md') return 'index.html'
  if (source === MAP) return 'map.html'
  const path = source.replace(/^docs\//, '').replace(/README\.md$/, 'index.md')
  return `${path.slice(0, -'.md'.length)}.html`.toLowerCase()
}

/** Returns the chapters of the map; pages that it does not name, such as decisions, are in none. */
export function readChapters(pages: ReadonlyMap<string, DocumentPage>): Chapter[] {
  const [, ...sections] = pages.get(MAP)?.text.split(/^## /m) ?? []
  return sections.map((section) => {
    const [heading = ''] = section.split('\n')
    const linked = [...section.matchAll(LINK)].flatMap(
      ([, path = '']) => pages.get(join(dirname(MAP), path)) ?? [],
    )
    return { title: heading.replace(/:.*/, ''), pages: [...new Set(linked)] }
  })
}
