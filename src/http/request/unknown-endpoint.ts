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
    const path = paths.get(url) ?? knownPath(url)
    paths.set(url, path)
    for (const name of [method].flat()) path.methods.add(name)
  })
  const respond = async ({ method, url }: FastifyRequest, reply: FastifyReply) => {
    const [path = ''] = url.split('?')
    // `OPTIONS *` applies to the service as a whole (RFC 9110, 9.3.7).
    const known = [...paths.values()].filter(({ pattern }) => path === '*' || pattern.test(path))
    const allowed = [...new Set(known.flatMap(({ methods }) => [...methods]))].toSorted()
    if (method === 'OPTIONS' && allowed.length > 0) {
      return reply.code(204).header('allow', allowed.join(', ')).send()
    }
    // An endpoint that has the method did not find what the path names.
    const isUnknown = allowed.length === 0 || allowed.includes(method)
    // A client that posts to `actionTypes/search` wants an operation, not the type with this name.
    const isOperation = method === 'POST' && known.every(({ endsInName }) => endsInName)
    if (isUnknown || isOperation) throw new ObjectQueryError('Default:NotFound', { method, path })
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
  /** True for a path of an API whose last segment is a parameter. */
  readonly endsInName: boolean
}

function knownPath(url: string): KnownPath {
  const endsInName = /^\/api\/.*\/:\w+$/.test(url)
  return { pattern: patternOf(url), methods: new Set(['OPTIONS']), endsInName }
}

function patternOf(url: string): RegExp {
  const steps = url
    .split('/')
    .map((step) => (step.startsWith(':') ? '[^/]+' : step.replaceAll('.', '\\.')))
  return new RegExp(`^${steps.join('/')}$`)
}
