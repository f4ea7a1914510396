/** One service of a simulated cluster. */
import type { App } from '../../src/http/app.ts'
import { readConfig } from '../../src/server/config.ts'
import { type AssembledService, assembleService } from '../../src/server/server.ts'
import type { ObjectStore } from '../../src/store/object-store.ts'
import type { AppSlot } from './app-slot.ts'
import type { Database } from './database.ts'
import type { HttpRequest } from './queries.ts'
import type { Random } from './random.ts'

export interface NodeOptions {
  readonly slot: AppSlot
  readonly database: Database
  readonly settings: Readonly<Record<string, string>>
  /** The keys of page tokens; the first one seals. */
  readonly keys: readonly Buffer[]
  readonly now: () => number
  readonly random: Random
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: the body is the thing under test
  readonly body: any
}

export class SimulatedNode {
  readonly slot: AppSlot
  readonly keys: readonly Buffer[]
  readonly #app: App
  readonly #service: AssembledService
  readonly #parts: AsyncDisposableStack
  /** What the service has logged as an error. */
  readonly #failures: unknown[]

  private constructor(
    { slot, keys }: NodeOptions,
    app: App,
    service: AssembledService,
    parts: AsyncDisposableStack,
    failures: unknown[],
  ) {
    this.slot = slot
    this.keys = keys
    this.#app = app
    this.#service = service
    this.#parts = parts
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
    await using parts = new AsyncDisposableStack()
    const service = await assembleService(
      config,
      {
        log: (event) => {
          if ('error' in event) failures.push(event.error)
        },
        now,
        // The simulation decides when maintenance runs.
        isMaintainer: false,
        open: database.open,
        random: { bytes: (count) => random.bytes(count), uuid: () => random.uuid() },
      },
      parts,
    )
    const app = await options.slot.use(service.services, service.appOptions)
    return new SimulatedNode(options, app, service, parts.move(), failures)
  }

  get store(): ObjectStore {
    return this.#service.services.store
  }

  async send(request: HttpRequest, token: string): Promise<Answer> {
    const { method, path, contentType, headers, body } = request
    const response = await this.#app.inject({
      method: method as 'GET',
      url: path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(contentType && { 'content-type': contentType }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: body }),
    })
    if (this.#failures.length > 0) {
      throw new Error(`${method} ${path} failed inside the service`, { cause: this.#failures[0] })
    }
    const { statusCode: status, payload: text } = response
    const answered = response.headers as Answer['headers']
    return { status, headers: answered, text, body: text === '' ? undefined : JSON.parse(text) }
  }

  async stop(): Promise<void> {
    this.#service.drain()
    this.slot.release()
    await this.#parts.disposeAsync()
  }
}
