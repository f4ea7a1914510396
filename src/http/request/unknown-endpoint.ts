import type { FastifyReply, FastifyRequest } from 'fastify'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { App } from '../app.ts'

/**
 * Requests that no endpoint takes: 404 for an unknown path, 405 for a method that a known path does
 * not have, and the methods of a path for `OPTIONS`. Add it before the endpoints.
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
    if (allowed.length === 0) throw new ObjectQueryError('Default:NotFound', { method, path })
    if (method !== 'OPTIONS') {
      throw new ObjectQueryError('Default:MethodNotAllowed', { method, path, allowed })
    }
    return reply.code(204).header('allow', allowed.join(', ')).send()
  }
  await app.register(async (unknown: App) => {
    // Before the body is read, which nobody needs.
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

/** Several patterns can match one path: together they say what it takes. */
function methodsOf(path: string, known: readonly KnownPath[]): string[] {
  // `OPTIONS *` asks for the service as a whole (RFC 9110, 9.3.7).
  const matching = path === '*' ? known : known.filter(({ pattern }) => pattern.test(path))
  return [...new Set(matching.flatMap(({ methods }) => [...methods]))].toSorted()
}
