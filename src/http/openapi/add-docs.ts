import swagger from '@fastify/swagger'
import type { App } from '../app.ts'
import {
  DOCS_PAGE,
  DOCS_PAGE_POLICY,
  REFERENCE_PATH,
  START_PATH,
  START_SCRIPT,
} from './docs-page.ts'
import { addExamples } from './examples.ts'
import { loadReferenceScript } from './reference-script.ts'
import { sendStatic } from './send-static.ts'
import { compressFile, type StaticFile } from './static-file.ts'

/**
 * `openapi.json`, made from the schemas that validate, and the page that shows it. They need no
 * token, so each is made once, for its first request, and sent from memory after that.
 */
export async function addDocs(app: App, version: string): Promise<void> {
  await app.register(swagger, {
    // Shared schemas go by their own names.
    refResolver: { buildLocalReference: ({ $id }) => String($id) },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Object Query Service',
        description: 'Typed objects, answered in pages that can be trusted.',
        version,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
      security: [{ bearer: [] }],
    },
  })
  app.get('/', { schema: { hide: true } }, async (_request, reply) => reply.redirect('/docs'))

  addFile(app, ['/openapi.json'], () => compressFile('application/json', describeApi(app)))
  addFile(app, ['/docs', '/docs/'], () => compressFile('text/html; charset=utf-8', DOCS_PAGE), {
    'content-security-policy': DOCS_PAGE_POLICY,
  })
  addFile(app, [START_PATH], () => compressFile('text/javascript; charset=utf-8', START_SCRIPT))
  addFile(app, [REFERENCE_PATH], loadReferenceScript)
}

function describeApi(app: App): string {
  const document = app.swagger()
  addExamples(document)
  return JSON.stringify(document)
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
