/** A connection to one service: sends requests, retries, and describes every failure in one line. */
import { isRetryable, type Pause, RetryPolicy, readRetryAfter, realPause } from './retry.ts'
import { ConnectionError, isErrorBody, ServiceError } from './service-error.ts'

export interface ConnectionOptions {
  /** The base URL of the service; API paths are appended to it. */
  readonly url: string
  readonly token?: string | undefined
  /** Aborts requests and pauses. */
  readonly signal?: AbortSignal | undefined
  /** Aborts pauses before a retry, but no request in progress. */
  readonly retrySignal?: AbortSignal | undefined
  readonly pause?: Pause
}

export interface ServiceRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Starts with a slash; variable segments are already percent-encoded. */
  readonly path: string
  readonly query?: QueryParameters
  readonly body?: { readonly type: string; readonly content: string | Uint8Array }
  /** Whether the request can safely be sent twice. */
  readonly isRepeatable: boolean
}

/** The parameters of a query string; undefined ones are omitted, lists are repeated. */
export type QueryParameters = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>

export class Connection {
  readonly url: string
  readonly signal: AbortSignal | undefined
  readonly #token: string | undefined
  readonly #pause: Pause
  readonly #retrySignal: AbortSignal | undefined
  /** Only a service that has answered before is assumed to be restarting. */
  #hasAnswered = false

  constructor({ url, token, signal, retrySignal, pause = realPause }: ConnectionOptions) {
    this.url = url.replace(/\/+$/, '')
    this.signal = signal
    this.#token = token
    this.#pause = pause
    this.#retrySignal = retrySignal ?? signal
  }

  createRetryPolicy(): RetryPolicy {
    return new RetryPolicy(this.#pause, this.#retrySignal)
  }

  /** Sends a request and returns the JSON of its response. */
  async send(request: ServiceRequest): Promise<unknown> {
    const retryPolicy = this.createRetryPolicy()
    for (;;) {
      try {
        const response = await this.#fetch(request)
        return await this.#readJson(response)
      } catch (error) {
        if (!request.isRepeatable || !isRetryable(error)) throw error
        await retryPolicy.wait(error)
      }
    }
  }

  /** Sends a request and returns its response as a stream, without retries. */
  async stream(request: Omit<ServiceRequest, 'isRepeatable'>): Promise<Response> {
    const response = await this.#fetch(request)
    if (!response.ok) await this.#readJson(response)
    return response
  }

  /** Returns the error for a response that broke off. */
  lost(error: unknown): Error {
    this.signal?.throwIfAborted()
    return new ConnectionError(
      `lost the connection to ${this.url} (${causeOf(error)}). Check that the service is running.`,
      { isLost: true, cause: error },
    )
  }

  async #fetch({
    method = 'GET',
    path,
    query = {},
    body,
  }: Omit<ServiceRequest, 'isRepeatable'>): Promise<Response> {
    const init = {
      method,
      headers: {
        accept: '*/*',
        ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
        ...(body === undefined ? {} : { 'content-type': body.type }),
      },
      ...(body === undefined ? {} : { body: body.content }),
      signal: this.signal ?? null,
    }
    try {
      const response = await fetch(this.url + path + queryString(query), init)
      this.#hasAnswered = true
      return response
    } catch (error) {
      this.signal?.throwIfAborted()
      throw new ConnectionError(
        `cannot reach ${this.url} (${causeOf(error)}). Start the service with \`oqs serve\`, or pass --url.`,
        { isLost: this.#hasAnswered || !ABSENT.includes(codeOf(error)), cause: error },
      )
    }
  }

  async #readJson(response: Response): Promise<unknown> {
    let text: string
    try {
      text = await response.text()
    } catch (error) {
      throw this.lost(error)
    }
    const body = parseJson(text)
    if (response.ok && body !== undefined) return body
    if (!response.ok && isErrorBody(body)) {
      const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), Date.now())
      throw new ServiceError(response.status, body, retryAfterMs)
    }
    const type = response.headers.get('content-type') ?? 'no content type'
    throw new ConnectionError(
      `${this.url} responded with status ${response.status} and ${type}, so it is not an object query service. Check --url.`,
      // A proxy responds with these while the service restarts.
      { isLost: [502, 503, 504].includes(response.status) },
    )
  }
}

function queryString(query: QueryParameters): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
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
}

/** Nothing listens there; waiting does not help unless the service has answered before. */
const ABSENT: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', '']

function causeOf(error: unknown): string {
  const { message } = lastCause(error)
  return CAUSES[codeOf(error)] ?? (message || codeOf(error))
}

function codeOf(error: unknown): string {
  return lastCause(error).code ?? ''
}

/** `fetch` wraps the network error in a chain of causes. */
function lastCause(error: unknown): NodeJS.ErrnoException {
  let last = error as NodeJS.ErrnoException
  while (last.cause instanceof Error) last = last.cause
  return last
}
