/** Renders a page of Markdown as HTML: anchors as on GitHub, links within the site, pictures as SVG. */
import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { renderMermaidSVG } from 'beautiful-mermaid'
import { Marked } from 'marked'
import type { DocumentPage } from './pages.ts'

/** A heading and the text below it, for the search. */
interface Section {
  readonly anchor: string
  readonly title: string
  readonly text: string
}

export interface RenderedPage {
  readonly html: string
  readonly sections: readonly Section[]
  /** Images and other files that the page shows. */
  readonly files: ReadonlySet<string>
}

export interface RenderOptions {
  readonly pages: ReadonlyMap<string, DocumentPage>
  /** Where sources can be read, such as `https://host/owner/name/blob/main`; they are text without. */
  readonly sourceUrl: string | undefined
}

export function renderPage(page: DocumentPage, options: RenderOptions): RenderedPage {
  const anchors = new Set<string>()
  const renderer = {
    heading: (html: string, level: number, raw: string) => {
      const anchor = anchorOf(raw, anchors)
      return `<h${level} id="${anchor}">${html}<a class="anchor" href="#${anchor}">#</a></h${level}>\n`
    },
    code: (code: string, info: string | undefined) => {
      const [language = ''] = (info ?? '').split(' ')
      if (language === 'mermaid') return `<figure>${drawDiagram(code)}</figure>\n`
      return `<pre><code class="${language}">${escapeHtml(code)}</code></pre>\n`
    },
    table: (header: string, body: string) =>
      `<div class="table"><table><thead>${header}</thead><tbody>${body}</tbody></table></div>\n`,
  }
  const rendered = new Marked({ renderer, async: false }).parse(page.text) as string
  const files = new Set<string>()
  const html = rendered.replaceAll(
    /<a href="([^"]+)">(.*?)<\/a>|(src|srcset)="([^"]+)"/gs,
    (whole, href: string | undefined, label: string, attribute: string, file: string) => {
      if (href === undefined) {
        const source = join(dirname(page.source), file)
        if (existsSync(source)) files.add(source)
        return `${attribute}="${pathBetween(page.target, source)}"`
      }
      if (/^(https?:|#)/.test(href)) return whole
      const target = linkTarget(page, href, options)
      return target === undefined ? label : `<a href="${target}">${label}</a>`
    },
  )
  return { html, sections: sectionsOf(html), files }
}

/** Returns the address of a page or a source; undefined if sources cannot be read. */
function linkTarget(
  { source, target }: DocumentPage,
  href: string,
  { pages, sourceUrl }: RenderOptions,
): string | undefined {
  const [path = '', hash] = href.split('#')
  const file = join(dirname(source), path).replace(/\/$/, '')
  const page = pages.get(file) ?? pages.get(join(file, 'README.md'))
  const fragment = hash === undefined ? '' : `#${hash}`
  if (page !== undefined) return pathBetween(target, page.target) + fragment
  if (sourceUrl === undefined) return undefined
  const isFolder = statSync(file).isDirectory()
  return `${isFolder ? sourceUrl.replace('/blob/', '/tree/') : sourceUrl}/${file}${fragment}`
}

export const pathBetween = (from: string, to: string) => relative(dirname(from), to)

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string, taken: Set<string>): string {
  const base = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
  let anchor = base
  for (let count = 1; taken.has(anchor); count += 1) anchor = `${base}-${count}`
  taken.add(anchor)
  return anchor
}

/** The colours follow the page, which may be dark. */
function drawDiagram(code: string): string {
  return renderMermaidSVG(code, {
    bg: 'var(--page)',
    fg: 'var(--text)',
    muted: 'var(--quiet)',
    border: 'var(--line)',
    line: 'var(--quiet)',
    accent: 'var(--link)',
    surface: 'var(--raised)',
    font: 'system-ui',
    transparent: true,
  }).replaceAll(/@import url\([^)]*\);/g, '')
}

function sectionsOf(html: string): Section[] {
  const parts = html.split(/(?=<h[1-6] id=")/).filter((part) => part.startsWith('<h'))
  return parts.map((part) => {
    const [, anchor = '', title = ''] =
      /^<h\d id="([^"]*)">(.*?)<a class="anchor"/s.exec(part) ?? []
    const text = textOf(part.replace(/^<h\d.*?<\/h\d>/s, '').replaceAll(/<svg.*?<\/svg>/gs, ''))
    return { anchor, title: textOf(title), text }
  })
}

const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()

const escapeHtml = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
