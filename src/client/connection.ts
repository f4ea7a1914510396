/** A connection to one service: sends requests, retries, and checks what the responses are. */
import { addressOf, type QueryParameters } from './addresses.ts'
import { clientError, isErrorBody, OqsError } from './oqs-error.ts'
import {
  isTemporary,
  monotonicNow,
  type RetryOptions,
  RetryPolicy,
  readRetryAfter,
} from './retry.ts'

export interface ConnectionOptions {
  /** The base URL of the service; API paths are appended to it. */
  readonly baseUrl: string
  /** The bearer token, or a function that returns it for each request. */
  readonly token?: string | (() => string | Promise<string>) | undefined
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /** How failed requests are retried. A number sets only the number of retries. */
  readonly retries?: number | RetryOptions | undefined
  /** Aborts requests and the pauses before retries. */
  readonly signal?: AbortSignal | undefined
  /** Aborts only the pauses: requests in progress finish. */
  readonly retrySignal?: AbortSignal | undefined
}

/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call; the signal of the client applies as well. */
  readonly signal?: AbortSignal | undefined
}

export interface ServiceRequest extends CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Starts with a slash; variable segments are already percent-encoded. */
  readonly path: string
  readonly query?: QueryParameters
  /** Sent as JSON. */
  readonly json?: unknown
  readonly body?: { readonly type: string; readonly content: string | Uint8Array<ArrayBuffer> }
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Whether the request can safely be sent twice. By default, only one with the method GET. */
  readonly isRepeatable?: boolean
}

/** A response with status 2xx. */
export interface ServiceResponse<Body = unknown> {
  /** The parsed JSON; undefined if the response has none. */
  readonly body: Body
  /** The JSON as it was sent. */
  readonly bytes: Uint8Array
  readonly headers: Headers
  /** Milliseconds until the last byte arrived, without earlier attempts. */
  readonly durationMs: number
  /** When the last byte arrived, in milliseconds since the epoch. */
  readonly receivedAtMs: number
}

export class Connection {
  readonly baseUrl: string
  readonly signal: AbortSignal | undefined
  readonly #options: ConnectionOptions
  readonly #retries: RetryOptions
  /** Only a service that has answered before is assumed to be restarting. */
  #hasAnswered = false
  /** When nothing listened at the address for the first time. */
  #absentSince: number | undefined

  constructor(options: ConnectionOptions) {
    const { baseUrl, retries = {}, signal } = options
    this.baseUrl = baseUrl.replace(/\/+$/, '')
    this.signal = signal
    this.#options = options
    this.#retries = typeof retries === 'number' ? { retries } : retries
  }

  createRetryPolicy(signal?: AbortSignal): RetryPolicy {
    const { retrySignal } = this.#options
    return new RetryPolicy(this.#retries, retrySignal ?? this.signalFor(signal))
  }

  /** Returns the signal of a call, which the signal of the client aborts too. */
  signalFor(signal: AbortSignal | undefined): AbortSignal | undefined {
    if (this.signal === undefined || signal === undefined) return signal ?? this.signal
    return AbortSignal.any([this.signal, signal])
  }

  /** Sends a request and returns the JSON of its response. */
  async send<Result>(request: ServiceRequest): Promise<Result> {
    return (await this.exchange<Result>(request)).body
  }

  /** Sends a request and returns its response. */
  async exchange<Body>(request: ServiceRequest): Promise<ServiceResponse<Body>> {
    const { method = 'GET', isRepeatable = method === 'GET' } = request
    const signal = this.signalFor(request.signal)
    const retryPolicy = this.createRetryPolicy(request.signal)
    for (;;) {
      try {
        const startedAtMs = monotonicNow()
        const response = await this.#fetch(request, signal)
        const { body, bytes } = await this.#readJson(response, signal)
        const durationMs = monotonicNow() - startedAtMs
        const { headers } = response
        return { body: body as Body, bytes, headers, durationMs, receivedAtMs: Date.now() }
      } catch (error) {
        signal?.throwIfAborted()
        if (!isRepeatable) throw error
        await retryPolicy.wait(error).catch((failure: unknown) => {
          signal?.throwIfAborted()
          throw failure
        })
      }
    }
  }

  /** Sends a request and returns its response as a stream, without retries. */
  async stream(request: ServiceRequest): Promise<Response> {
    const signal = this.signalFor(request.signal)
    const response = await this.#fetch(request, signal)
    if (!response.ok) await this.#readJson(response, signal)
    return response
  }

  /** Returns the error for a response that broke off. */
  lost(error: unknown, signal = this.signal): Error {
    signal?.throwIfAborted()
    const message = `lost the connection to ${this.baseUrl} (${causeOf(error)}).`
    return clientError('Client:ConnectionLost', message, { isRetryable: true, cause: error })
  }

  /** Returns the error for a response that this service would not have sent. */
  invalidResponse(found: string, options: { statusCode?: number; isRetryable?: boolean } = {}) {
    const message = `${this.baseUrl} ${found}, so it is not an object query service.`
    return clientError('Client:InvalidResponse', message, options)
  }

  async #fetch(request: ServiceRequest, signal: AbortSignal | undefined): Promise<Response> {
    const { method = 'GET', json, headers = {} } = request
    const { token, fetch: send = fetch } = this.#options
    const secret = typeof token === 'function' ? await token() : token
    const body =
      json === undefined ? request.body : { type: 'application/json', content: toJson(json) }
    const sent = new Headers({ accept: '*/*' })
    if (secret !== undefined) sent.set('authorization', `Bearer ${secret}`)
    if (body !== undefined) sent.set('content-type', body.type)
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) sent.set(name, value)
    }
    try {
      const response = await send(this.baseUrl + addressOf(request), {
        method,
        headers: sent,
        ...(body === undefined ? {} : { body: body.content }),
        signal: signal ?? null,
      })
      this.#hasAnswered = true
      return response
    } catch (error) {
      signal?.throwIfAborted()
      throw this.#unreachable(error)
    }
  }

  #unreachable(error: unknown): OqsError {
    const code = codeOf(error)
    const isAbsent = !this.#hasAnswered && ABSENT.includes(code)
    const isRetryable = !TLS_ERROR.test(code) && (!isAbsent || this.#mayAppear())
    const message = `cannot reach ${this.baseUrl} (${causeOf(error)}).`
    return clientError('Client:Unreachable', message, { isRetryable, cause: error })
  }

  /** Returns whether to keep waiting for a service that has never answered. */
  #mayAppear(): boolean {
    const { waitForServiceMs = WAIT_FOR_SERVICE_MS, now = monotonicNow } = this.#retries
    this.#absentSince ??= now()
    return now() - this.#absentSince < waitForServiceMs
  }

  async #readJson(
    response: Response,
    signal: AbortSignal | undefined,
  ): Promise<Pick<ServiceResponse, 'body' | 'bytes'>> {
    const { status, headers } = response
    const bytes = await response.arrayBuffer().then(
      (buffer) => new Uint8Array(buffer),
      (error: unknown) => {
        throw this.lost(error, signal)
      },
    )
    if (status === 204) return { body: undefined, bytes }
    const type = headers.get('content-type') ?? 'no content type'
    const isJson = /^application\/(?:[\w.-]+\+)?json\b/.test(type)
    const body = isJson ? parseJson(new TextDecoder().decode(bytes)) : undefined
    if (response.ok && body !== undefined) return { body, bytes }
    if (!response.ok && isErrorBody(body)) {
      const retryAfterMs = readRetryAfter(headers.get('retry-after'), Date.now())
      const isRetryable = isTemporary(status, 'service')
      throw new OqsError(body, { statusCode: status, isRetryable, retryAfterMs })
    }
    // JSON that ends early was cut by a proxy, whatever its status says.
    if (response.ok && isJson) throw this.lost(new Error('the body is cut'), signal)
    throw this.invalidResponse(`responded with status ${status} and ${type}`, {
      statusCode: status,
      isRetryable: isTemporary(status, 'proxy'),
    })
  }
}

/** Values of type `long` can be bigints; on the wire they are strings. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? String(member) : member,
  )
}

/** Returns undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  UND_ERR_SOCKET: 'connection closed',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'no such host',
  ETIMEDOUT: 'timed out',
  UND_ERR_CONNECT_TIMEOUT: 'timed out',
  UND_ERR_HEADERS_TIMEOUT: 'timed out',
  UND_ERR_BODY_TIMEOUT: 'timed out',
  ERR_SSL_WRONG_VERSION_NUMBER: 'this port does not speak HTTPS',
}

/** A program and its service may be started together. A wrong address should be reported soon. */
const WAIT_FOR_SERVICE_MS = 10_000

/** Nothing listens there; waiting does not help for long unless the service has answered before. */
const ABSENT: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', '']

/** The certificate or the protocol is wrong, so every attempt fails. */
const TLS_ERROR = /^(?:ERR_SSL|ERR_TLS|CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)_/

function causeOf(error: unknown): string {
  return CAUSES[codeOf(error)] ?? (lastCause(error).message || codeOf(error))
}

/** Returns the code of the network error behind an error, such as `ECONNREFUSED`. */
export function codeOf(error: unknown): string {
  return lastCause(error).code ?? ''
}

/** `fetch` wraps the network error in a chain of causes. */
function lastCause(error: unknown): Error & { readonly code?: string } {
  let last = error as Error
  while (last.cause instanceof Error) last = last.cause
  return last
}

/** Options of a call that the service applies once, even if it is repeated. */
export interface IdempotentCallOptions extends CallOptions {
  /** A call with the key of an earlier one returns its result. By default, each call has a new key. */
  readonly idempotencyKey?: string | undefined
}

/** Returns a random key for one write; `crypto.randomUUID` would need a secure page. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
