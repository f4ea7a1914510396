import type { FastifyReply, FastifyRequest } from 'fastify'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { App } from '../app.ts'

/**
 * Answers requests without an endpoint: 404 for an unknown path, 405 for an unsupported method, and
 * the supported methods for `OPTIONS`. Must be added before the endpoints.
 */
export async function addUnknownEndpoint(app: App): Promise<void> {
  const paths = new Map<string, KnownPath>()
  app.addHook('onRoute', ({ method, url }) => {
    const path = paths.get(url) ?? { pattern: patternOf(url), methods: new Set(['OPTIONS']) }
    paths.set(url, path)
    for (const name of [method].flat()) path.methods.add(name)
  })
  const respond = async ({ method, url }: FastifyRequest, reply: FastifyReply) => {
    const [path = ''] = url.split('?')
    const allowed = methodsOf(path, [...paths.values()])
    if (method === 'OPTIONS' && allowed.length > 0) {
      return reply.code(204).header('allow', allowed.join(', ')).send()
    }
    // An endpoint that has the method did not find what the path names.
    const isUnknown = allowed.length === 0 || allowed.includes(method)
    if (isUnknown) throw new ObjectQueryError('Default:NotFound', { method, path })
    throw new ObjectQueryError('Default:MethodNotAllowed', { method, path, allowed })
  }
  await app.register(async (unknown: App) => {
    // Before the body is read, because the response does not depend on it.
    unknown.addHook('onRequest', respond)
    unknown.setNotFoundHandler(respond)
  })
}

interface KnownPath {
  readonly pattern: RegExp
  readonly methods: Set<string>
}

function patternOf(url: string): RegExp {
  const steps = url
    .split('/')
    .map((step) => (step.startsWith(':') ? '[^/]+' : step.replaceAll('.', '\\.')))
  return new RegExp(`^${steps.join('/')}$`)
}

/** Returns the methods of all patterns that match a path. */
function methodsOf(path: string, known: readonly KnownPath[]): string[] {
  // `OPTIONS *` applies to the service as a whole (RFC 9110, 9.3.7).
  const matching = path === '*' ? known : known.filter(({ pattern }) => pattern.test(path))
  return [...new Set(matching.flatMap(({ methods }) => [...methods]))].toSorted()
}
