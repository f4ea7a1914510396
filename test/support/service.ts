import type { Scope } from '../../src/contract/scopes.ts'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { createApiToken } from '../../src/server/api-token.ts'
import { type Environment, readConfig } from '../../src/server/config.ts'
import { startServer } from '../../src/server/server.ts'
import type { ObjectStore } from '../../src/store/object-store.ts'
import { responseCheck } from './openapi-check.ts'
import { storePlace } from './store-place.ts'

/** The real service on a real port with a store of its own, and a client that speaks plain HTTP. */

export const ADMIN_TOKEN = 'admin-token-of-the-tests'

/** Tests send more requests in a minute, and more at once, than a caller usually may. */
export const NO_CALLER_LIMITS = {
  OQS_RATE_LIMIT_PER_MINUTE: 'none',
  OQS_MAX_CONCURRENT_REQUESTS: 'none',
} as const

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // Tests look at whatever came back; its shape is what they check.
  // biome-ignore lint/suspicious/noExplicitAny: the body is the thing under test
  readonly body: any
}

export interface Ask {
  readonly method?: string
  readonly token?: string | null
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly json?: unknown
}

export interface Service extends AsyncDisposable {
  readonly url: string
  readonly store: ObjectStore
  readonly clock: Clock
  ask(path: string, ask?: Ask): Promise<Answer>
  apply(definition: OntologyDefinition): Promise<Answer>
  /** Sends a batch of changes, each a line. */
  write(ontology: string, objectType: string, lines: readonly unknown[]): Promise<Answer>
  put(ontology: string, objectType: string, objects: readonly object[]): Promise<Answer>
  createToken(wish?: TokenWish): Promise<string>
}

export interface TokenWish {
  readonly scopes?: readonly Scope[]
  readonly ontologies?: readonly string[]
  readonly expiresAtMs?: number
  readonly name?: string
}

/** A clock that tests move; it starts at the real time. */
export interface Clock {
  now: number
}

export interface ServiceOptions {
  readonly settings?: Environment
  /** As `OQS_STORE` takes it; a store of the service's own when left out. */
  readonly store?: string
}

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  await using parts = new AsyncDisposableStack()
  const store = options.store ?? parts.use(await storePlace()).name
  const clock: Clock = { now: Date.now() }
  const config = readConfig({
    OQS_PORT: '0',
    OQS_STORE: store,
    OQS_ADMIN_TOKEN: ADMIN_TOKEN,
    OQS_LOG_LEVEL: 'silent',
    ...NO_CALLER_LIMITS,
    ...options.settings,
  })
  const server = parts.use(await startServer(config, { now: () => clock.now, idleGraceMs: 0 }))
  const running = parts.move()
  const check = config.OQS_DOCS
    ? responseCheck((await askUrl(`${server.url}/openapi.json`, { token: null })).body)
    : () => undefined
  const ask = async (where: string, question: Ask = {}) => {
    const answer = await askUrl(server.url + where, question)
    const { pathname } = new URL(server.url + where)
    if (answer.body !== undefined) {
      const wrong = check(methodOf(question), pathname, answer.status, answer.body)
      if (wrong !== undefined) throw new Error(wrong)
    }
    return answer
  }
  const write = (ontology: string, objectType: string, lines: readonly unknown[]) =>
    ask(`/api/admin/v1/ontologies/${ontology}/objects/${objectType}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })

  return {
    url: server.url,
    store: server.store,
    clock,
    ask,
    write,
    apply: (definition) =>
      ask(`/api/admin/v1/ontologies/${definition.apiName}`, { method: 'PUT', json: definition }),
    put: (ontology, objectType, objects) =>
      write(
        ontology,
        objectType,
        objects.map((object) => ({ put: object })),
      ),
    createToken: async (wish = {}) => {
      const { secret } = await createApiToken(
        server.store,
        {
          name: wish.name ?? 'test',
          scopes: wish.scopes ?? ['api:ontologies-read'],
          ontologies: wish.ontologies,
          expiresAtMs: wish.expiresAtMs,
        },
        clock.now,
      )
      return secret
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function methodOf({ method, body, json }: Ask): string {
  return method ?? (body === undefined && json === undefined ? 'GET' : 'POST')
}

export async function askUrl(url: string, ask: Ask = {}): Promise<Answer> {
  const { token = ADMIN_TOKEN, json } = ask
  const body = json === undefined ? ask.body : JSON.stringify(json)
  const response = await fetch(url, {
    method: methodOf(ask),
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...ask.headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    body:
      text !== '' && response.headers.get('content-type')?.includes('application/json')
        ? JSON.parse(text)
        : undefined,
  }
}
