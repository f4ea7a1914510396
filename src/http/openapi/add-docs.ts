/**
 * Serves `/openapi.json` and `/docs`, which need no token. Each file is made for its first request
 * and sent from memory after that.
 */

import type { App } from '../app.ts'
import { compressFile, type StaticFile, sendStatic } from '../response/static-file.ts'
import type { Endpoint } from './openapi-document.ts'

/** Adds the documentation. Must be added before the endpoints that it describes. */
export function addDocs(app: App, version: string, basePath: string): void {
  const endpoints = collectEndpoints(app)
  const readOpenApi = once(async () => {
    // Imported only here: the service starts faster without the generator and the examples.
    const { writeOpenApi } = await import('./openapi-document.ts')
    return compressFile('application/json', await writeOpenApi(endpoints, version, basePath))
  })
  addFile(app, ['/openapi.json'], readOpenApi)
  addFile(app, ['/docs', '/docs/'], async () => {
    const { REFERENCE_POLICY, referencePage } = await import('./reference-page.ts')
    const { identity } = await readOpenApi()
    const page = referencePage(Buffer.from(identity.bytes).toString(), basePath)
    const file = await compressFile('text/html; charset=utf-8', page)
    return { ...file, headers: { 'content-security-policy': REFERENCE_POLICY } }
  })
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
  make: () => Promise<StaticFile & { readonly headers?: Readonly<Record<string, string>> }>,
): void {
  const readFile = once(make)
  for (const path of paths) {
    app.get(path, { schema: { hide: true } }, async (_request, reply) => {
      const file = await readFile()
      return sendStatic(reply, file, file.headers)
    })
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
