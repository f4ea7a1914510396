/** The real service on a free port with its own store, and an HTTP client for it. */

import { inject } from 'vitest'
import { createApiToken, revokeApiTokensNamed } from '../../src/access/api-tokens.ts'
import type { Scope } from '../../src/contract/scopes.ts'
import type { OpenExplorer } from '../../src/http/explorer/serve-explorer.ts'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { type Environment, readConfig } from '../../src/server/config.ts'
import { startServer } from '../../src/server/server.ts'
import type { ObjectStore } from '../../src/store/object-store.ts'
import { checkOfService } from './openapi-check.ts'
import { createTestStore } from './test-store.ts'

export const ADMIN_TOKEN = 'admin-token-of-the-tests'

/** Tests send more requests per minute, and more concurrently, than the default limits allow. */
export const NO_CALLER_LIMITS = {
  OQS_RATE_LIMIT_PER_MINUTE: 'none',
  OQS_MAX_CONCURRENT_REQUESTS: 'none',
} as const

export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: the body is the thing under test
  readonly body: any
}

export interface SendOptions {
  readonly method?: string
  readonly token?: string | null
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly json?: unknown
}

export interface Service extends AsyncDisposable {
  readonly url: string
  readonly store: ObjectStore
  readonly clock: Clock
  send(path: string, options?: SendOptions): Promise<TestResponse>
  apply(definition: OntologyDefinition): Promise<TestResponse>
  /** Sends a batch with one change per line. */
  write(ontology: string, objectType: string, lines: readonly unknown[]): Promise<TestResponse>
  put(ontology: string, objectType: string, objects: readonly object[]): Promise<TestResponse>
  createToken(options?: TokenOptions): Promise<string>
  /** Revokes the tokens with a name, and returns how many. */
  revokeTokens(name: string): Promise<number>
}

interface TokenOptions {
  readonly scopes?: readonly Scope[]
  readonly ontologies?: readonly string[]
  readonly policies?: readonly string[]
  readonly expiresAtMs?: number
  readonly name?: string
}

/** A clock that tests can move; it starts at the current time. */
interface Clock {
  now: number
}

export interface ServiceOptions {
  readonly settings?: Environment
  /** The name for `OQS_STORE`; a new store if undefined. */
  readonly store?: string
  /** The explorer, for tests with a browser. */
  readonly explorer?: OpenExplorer
  /** False if tests run the maintenance of the store themselves. */
  readonly isMaintainer?: boolean
  /** A change of a definition that rewrites more objects runs in the background. */
  readonly rewrittenAtOnceMax?: number
  /** How long the client of a stream may stop reading. */
  readonly stalledStreamMs?: number
}

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  await using parts = new AsyncDisposableStack()
  const store = options.store ?? parts.use(await createTestStore()).name
  const clock: Clock = { now: Date.now() }
  const config = readConfig({
    OQS_PORT: '0',
    OQS_STORE: store,
    OQS_ADMIN_TOKEN: ADMIN_TOKEN,
    OQS_LOG_LEVEL: 'silent',
    ...NO_CALLER_LIMITS,
    ...options.settings,
  })
  const log = () => {}
  const { explorer, isMaintainer = true, rewrittenAtOnceMax, stalledStreamMs } = options
  const server = parts.use(
    await startServer(config, {
      log,
      now: () => clock.now,
      idleGraceMs: 0,
      isMaintainer,
      columns: { areForced: inject('columns') === 'forced' },
      ...(rewrittenAtOnceMax === undefined ? {} : { rewrittenAtOnceMax }),
      ...(stalledStreamMs === undefined ? {} : { stalledStreamMs }),
      ...(explorer === undefined ? {} : { explorer }),
    }),
  )
  const running = parts.move()
  const check = config.OQS_DOCS ? await checkOfService(server.url) : () => undefined
  const send = async (path: string, options: SendOptions = {}) => {
    const response = await sendTo(server.url + path, options)
    const { pathname } = new URL(path, 'http://service')
    if (response.body !== undefined) {
      const { status, body, headers } = response
      const mistake = check(methodOf(options), pathname, status, body, headers)
      if (mistake !== undefined) throw new Error(mistake)
    }
    return response
  }
  const write = (ontology: string, objectType: string, lines: readonly unknown[]) =>
    send(`/api/admin/v1/ontologies/${ontology}/objects/${objectType}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })

  return {
    url: server.url,
    store: server.store,
    clock,
    send: send,
    write,
    apply: (definition) =>
      send(`/api/admin/v1/ontologies/${definition.apiName}`, { method: 'PUT', json: definition }),
    put: (ontology, objectType, objects) =>
      write(
        ontology,
        objectType,
        objects.map((object) => ({ put: object })),
      ),
    createToken: async ({ name = 'test', ontologies, policies, expiresAtMs, ...options } = {}) => {
      const scopes = options.scopes ?? (['api:ontologies-read'] as const)
      const { secret } = await createApiToken(
        server.store,
        { name, scopes, ontologies, policies, expiresAtMs },
        clock.now,
      )
      return secret
    },
    revokeTokens: async (name) =>
      (await revokeApiTokensNamed(server.store, name, clock.now)).length,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function methodOf({ method, body, json }: SendOptions): string {
  return method ?? (body === undefined && json === undefined ? 'GET' : 'POST')
}

export async function sendTo(url: string, options: SendOptions = {}): Promise<TestResponse> {
  const { token = ADMIN_TOKEN, json } = options
  const body = json === undefined ? options.body : JSON.stringify(json)
  const response = await fetch(url, {
    method: methodOf(options),
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
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
