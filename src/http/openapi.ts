import swagger from '@fastify/swagger'
import apiReference from '@scalar/fastify-api-reference'
import type { App } from './app.ts'
import { addExamples } from './examples.ts'

/** `openapi.json`, made from the schemas that validate, and the page that shows it. */
export async function addOpenApi(app: App, version: string): Promise<void> {
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
  app.get('/openapi.json', { schema: { hide: true } }, async () => {
    const document = app.swagger()
    addExamples(document)
    return document
  })
  await app.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Object Query Service',
      // Nothing of this page comes from, or goes to, anywhere else.
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      hideClientButton: true,
    },
  })
}
