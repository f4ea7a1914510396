/**
 * The API reference: one HTML page of `openapi.json`. Each operation is a closed element, so that the
 * browser lays out only what a reader opens; the page needs its script only to search and to copy.
 */
import { hash } from 'node:crypto'
import { curlExample, type ExampleOperation } from './curl-example.ts'
import { escapeHtml, markdownHtml } from './page-text.ts'
import { SCRIPT, STYLE } from './reference-page-assets.ts'
import { schemaHtml } from './schema-html.ts'

/** The members of `openapi.json` that the page shows. */
interface Document {
  readonly info: { readonly title: string; readonly description: string; readonly version: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

interface Operation extends ExampleOperation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly responses: Readonly<Record<string, Response>>
}

interface Response {
  readonly description: string
  readonly content?: Readonly<
    Record<string, { readonly schema: object; readonly example?: unknown }>
  >
}

/** Allows the style and the script of the page, and nothing else: not even requests. */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  `script-src '${sourceHash(SCRIPT)}'`,
  `style-src '${sourceHash(STYLE)}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

function sourceHash(text: string): string {
  return `sha256-${hash('sha256', text, 'base64')}`
}

export function referencePage(openapi: string, basePath: string): string {
  const { info, tags, paths, components } = JSON.parse(openapi) as Document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const sections = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name))
    return section(name, description, own.map(operationHtml))
  })
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="schema-${name}"><summary><code>${name}</code></summary><pre>${schemaHtml(schema)}</pre></details>`,
  )
  const names = [...tags.map(({ name }) => name), 'Schemas']
  const links = names.map((name) => `<a href="#${idOf(name)}">${name}</a>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${info.title}: API reference</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escapeHtml(info.description)}">
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${info.title} ${info.version}</h1>
<p>${escapeHtml(info.description)} The examples use <code>$OQS_URL</code>, the address of the service, and <code>$OQS_TOKEN</code>, an API token. Their objects are those of the demo. Generators of clients take <a href="${basePath}/openapi.json">openapi.json</a>.</p>
<nav aria-label="Sections">${links.join(' ')}</nav>
<p><label>Search <input type="search" placeholder="operations and schemas"></label> <output></output></p>
</header>
<main>
${sections.join('\n')}
${section('Schemas', 'The JSON that requests and responses consist of.', schemas)}
</main>
<script>${SCRIPT}</script>
</body>
</html>
`
}

function idOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}

function section(name: string, description: string, entries: readonly string[]): string {
  return `<section id="${idOf(name)}"><h2>${name}</h2><p>${escapeHtml(description)}</p>${entries.join('\n')}</section>`
}

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

function operationHtml({ method, path, operation }: Endpoint): string {
  const { operationId, summary, description = '', parameters = [], requestBody } = operation
  const verb = method.toUpperCase()
  const rows = parameters.map(
    ({ name, in: place, required, schema, description: text = '' }) =>
      `<dt><code>${escapeHtml(name)}</code> ${schemaHtml(schema)}, ${place}${required ? ', required' : ''}</dt><dd>${markdownHtml(text)}</dd>`,
  )
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) => `<h3>Body: ${type}</h3><pre>${schemaHtml(schema)}</pre>`,
  )
  return [
    `<details id="${operationId}"><summary><b>${verb}</b> <code>${escapeHtml(path)}</code> <span>${escapeHtml(summary)}</span></summary>`,
    markdownHtml(description),
    example(`Copy the curl command of ${operationId}`, curlExample(verb, path, operation)),
    rows.length === 0 ? '' : `<h3>Parameters</h3><dl>${rows.join('')}</dl>`,
    ...bodies,
    ...Object.entries(operation.responses).map(responseHtml),
    '</details>',
  ].join('')
}

function example(label: string, text: string): string {
  return `<div><button type="button" aria-label="${label}">Copy</button><pre>${escapeHtml(text)}</pre></div>`
}

function responseHtml([status, { description, content = {} }]: [string, Response]): string {
  const [first] = Object.values(content)
  const types = Object.keys(content).join(', ')
  const body = first === undefined ? '' : `<pre>${schemaHtml(first.schema)}</pre>`
  const sample =
    first?.example === undefined || typeof first.example === 'string'
      ? ''
      : `<pre>${escapeHtml(JSON.stringify(first.example, null, 2))}</pre>`
  return `<h3>${status}${types && `: ${types}`}</h3>${markdownHtml(description)}${body}${sample}`
}
