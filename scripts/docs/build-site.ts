/** Builds the static site of the documentation: a page for each document, with a search. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import MiniSearch from 'minisearch'
import { type Chapter, type DocumentPage, readChapters, readPages } from './pages.ts'
import { pathBetween, type RenderedPage, renderPage } from './render-page.ts'

export interface SiteOptions {
  readonly folder: string
  readonly sourceUrl: string | undefined
}

const ASSETS = ['style.css', 'search.js']
/** How sections are indexed and found. The site reads them with the index. */
const SEARCH_OPTIONS = {
  fields: ['page', 'title', 'text'],
  storeFields: ['page', 'title'],
  searchOptions: {
    boost: { title: 4, page: 2 },
    prefix: true,
    fuzzy: 0.2,
    combineWith: 'AND' as const,
  },
}
const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Writes the site to a folder, which is emptied before, and returns the number of its pages. */
export function buildSite({ folder, sourceUrl }: SiteOptions): number {
  rmSync(folder, { recursive: true, force: true })
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const pages = readPages()
  const chapters = readChapters(pages)
  const index = new MiniSearch<Indexed>(SEARCH_OPTIONS)
  for (const page of pages.values()) {
    const rendered = renderPage(page, { pages, sourceUrl })
    write(page.target, layOut(page, rendered, chapters))
    index.addAll(indexedSections(page, rendered))
    for (const file of rendered.files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      copyFileSync(file, join(folder, file))
    }
  }
  write('search-index.json', JSON.stringify({ options: SEARCH_OPTIONS, index }))
  for (const name of ASSETS) write(name, readFileSync(fileOf(`site/${name}`), 'utf8'))
  write('minisearch.js', readFileSync(fileURLToPath(import.meta.resolve('minisearch')), 'utf8'))
  return pages.size
}

interface Indexed {
  readonly id: string
  readonly page: string
  readonly title: string
  readonly text: string
}

function indexedSections(page: DocumentPage, { sections }: RenderedPage): Indexed[] {
  return sections.map(({ anchor, title, text }, index) => ({
    id: index === 0 ? page.target : `${page.target}#${anchor}`,
    page: page.title,
    title,
    text,
  }))
}

function layOut(page: DocumentPage, { html }: RenderedPage, chapters: readonly Chapter[]): string {
  const root = pathBetween(page.target, 'x').slice(0, -1)
  const linkTo = ({ target, title }: DocumentPage) => {
    const current = target === page.target ? ' aria-current="page"' : ''
    return `<a href="${pathBetween(page.target, target)}"${current}>${title}</a>`
  }
  const navigation = chapters.map(
    ({ title, pages }) =>
      `<h2>${title}</h2>\n<ul>${pages.map((each) => `<li>${linkTo(each)}</li>`).join('\n')}</ul>`,
  )
  const order = chapters.flatMap(({ pages }) => pages)
  const at = order.indexOf(page)
  const next = at < 0 ? undefined : order[at + 1]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${page.title} · Object Query Service</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}style.css">
<script type="module" src="${root}search.js" data-root="${root}"></script>
</head>
<body>
<header>
<a class="home" href="${root}index.html">Object Query Service</a>
<a href="${root}map.html">Documentation</a>
<form role="search"><input type="search" placeholder="Search ( / )" aria-label="Search"><ol hidden></ol></form>
</header>
<nav aria-label="Pages">${navigation.join('\n')}</nav>
<main>
${html}
${next === undefined ? '' : `<p class="next">Next: ${linkTo(next)}</p>`}
</main>
</body>
</html>
`
}
