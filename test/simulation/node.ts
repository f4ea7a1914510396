/** One running service of a simulated cluster, reached over real HTTP. */
import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, request as sendRequest } from 'node:http'
import { readConfig } from '../../src/server/config.ts'
import { type Server, startServer } from '../../src/server/server.ts'
import type { ObjectStore } from '../../src/store/object-store.ts'
import type { Database } from './database.ts'
import type { HttpRequest } from './queries.ts'
import type { Random } from './random.ts'

export interface NodeOptions {
  readonly database: Database
  readonly settings: Readonly<Record<string, string>>
  /** The keys of page tokens; the first one seals. */
  readonly keys: readonly Buffer[]
  readonly now: () => number
  readonly random: Random
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: the body is the thing under test
  readonly body: any
}

export class SimulatedNode {
  readonly keys: readonly Buffer[]
  readonly #server: Server
  readonly #url: URL
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #failures: unknown[]

  private constructor(keys: readonly Buffer[], server: Server, failures: unknown[]) {
    this.keys = keys
    this.#server = server
    this.#url = new URL(server.url)
    this.#failures = failures
  }

  static async start(options: NodeOptions): Promise<SimulatedNode> {
    const { database, settings, keys, now, random } = options
    const failures: unknown[] = []
    const config = readConfig({
      ...settings,
      OQS_STORE: database.name,
      OQS_PAGE_TOKEN_KEYS: keys.map((key) => key.toString('base64')).join(','),
    })
    const server = await startServer(config, {
      log: (event) => {
        if ('error' in event) failures.push(event.error)
      },
      now,
      idleGraceMs: 0,
      // The simulation decides when maintenance runs.
      isMaintainer: false,
      open: database.open,
      random: { bytes: (count) => random.bytes(count), uuid: () => random.uuid() },
    })
    return new SimulatedNode(keys, server, failures)
  }

  get store(): ObjectStore {
    return this.#server.store
  }

  async send(request: HttpRequest, token: string): Promise<Answer> {
    const { method, path, contentType, body } = request
    const outgoing = sendRequest({
      agent: this.#agent,
      host: this.#url.hostname,
      port: this.#url.port,
      method,
      path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        ...request.headers,
      },
    })
    outgoing.end(body)
    const [response] = await once(outgoing, 'response')
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += chunk
    if (this.#failures.length > 0) {
      throw new Error(`${method} ${path} failed inside the service`, { cause: this.#failures[0] })
    }
    return {
      status: response.statusCode,
      headers: response.headers,
      text,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }

  async stop(): Promise<void> {
    this.#agent.destroy()
    await this.#server[Symbol.asyncDispose]()
  }
}
