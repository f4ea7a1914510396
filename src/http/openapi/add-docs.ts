/**
 * Serves `/openapi.json` and `/docs`, which need no token. Each file is made for its first request
 * and sent from memory after that.
 */

import { Worker } from 'node:worker_threads'
import { siblingModule } from '../../contract/sibling-module.ts'
import type { App } from '../app.ts'
import { compressFile, type StaticFile, sendStatic } from '../response/static-file.ts'
import type { Endpoint } from './openapi-document.ts'

/*
 * The API reference page. The service itself serves everything on it: no external fonts, no
 * telemetry. Its scripts are separate files, so that the policy can forbid inline scripts.
 */

const REFERENCE_PATH = '/docs/js/scalar.js'
const START_PATH = '/docs/js/start.js'

const TITLE = 'Object Query Service'

const CONFIGURATION = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
}

/** Returns the page, for the path under which a proxy serves the service. */
function docsPage(basePath: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <title>${TITLE}</title>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="app"></div>
    <script src="${basePath}${REFERENCE_PATH}"></script>
    <script src="${basePath}${START_PATH}"></script>
  </body>
</html>
`
}

function startScript(basePath: string): string {
  const configuration = { url: `${basePath}/openapi.json`, ...CONFIGURATION }
  return `Scalar.createApiReference('#app', ${JSON.stringify(configuration, null, 2)})\n`
}

/** Allows inline styles, which the reference sets on its elements, but no inline scripts. */
const DOCS_PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Adds the documentation. Must be added before the endpoints that it describes. */
export function addDocs(app: App, version: string, basePath: string): void {
  const endpoints = collectEndpoints(app)
  addFile(app, ['/openapi.json'], async () => {
    // Imported only here: the service starts faster without the generator and the examples.
    const { writeOpenApi } = await import('./openapi-document.ts')
    return compressFile('application/json', await writeOpenApi(endpoints, version, basePath))
  })
  const headers = { 'content-security-policy': DOCS_PAGE_POLICY }
  const page = () => compressFile('text/html; charset=utf-8', docsPage(basePath))
  addFile(app, ['/docs', '/docs/'], page, headers)
  const script = () => compressFile('text/javascript; charset=utf-8', startScript(basePath))
  addFile(app, [START_PATH], script)
  addFile(app, [REFERENCE_PATH], loadReferenceScript)
}

/** Leads from `/` to the documentation, where there is no explorer. */
export function addDocsRedirect(app: App, basePath: string): void {
  app.get('/', { schema: { hide: true } }, async (_request, reply) =>
    reply.redirect(`${basePath}/docs`),
  )
}

/** Returns a list to which every endpoint that is added later is appended. */
function collectEndpoints(app: App): readonly Endpoint[] {
  const endpoints: Endpoint[] = []
  app.addHook('onRoute', ({ method, url, schema }) => {
    // Fastify adds a HEAD route for each GET route.
    if (method !== 'HEAD') endpoints.push({ method, url, schema })
  })
  return endpoints
}

function addFile(
  app: App,
  paths: readonly string[],
  make: () => Promise<StaticFile>,
  headers: Readonly<Record<string, string>> = {},
): void {
  const readFile = once(make)
  for (const path of paths) {
    app.get(path, { schema: { hide: true } }, async (_request, reply) =>
      sendStatic(reply, await readFile(), headers),
    )
  }
}

/** Returns a function that makes a value once. Concurrent callers share one attempt. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      // The next request tries again.
      made = undefined
      throw error
    })
    return made
  }
}

/**
 * Loads and compresses the 4 MB script of the API reference in a worker thread: importing its
 * package takes 200 ms, and the thread frees the memory when it exits.
 */
function loadReferenceScript(): Promise<StaticFile> {
  const worker = new Worker(siblingModule('reference-script-thread', import.meta.url))
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) =>
      reject(new Error(`The reference script thread exited with code ${code}.`)),
    )
  })
}
