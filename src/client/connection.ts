import { mayPass, Patience, type Pause, readRetryAfter, realPause } from './retry.ts'
import { ConnectionError, isErrorAnswer, ServiceError } from './service-error.ts'

/** One service at one address: sends requests, tries again, and turns every failure into a line. */

export interface ServiceAddress {
  /** Where the service is; paths of its API are put behind it. */
  readonly url: string
  readonly token?: string | undefined
  /** Ends whatever is under way. */
  readonly signal?: AbortSignal | undefined
  /** Ends waiting for another try, but nothing that is under way. */
  readonly patienceSignal?: AbortSignal | undefined
  readonly pause?: Pause
}

export interface ServiceRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Begins with a slash; its variable parts are already percent-encoded. */
  readonly path: string
  readonly query?: QueryParameters
  readonly body?: { readonly type: string; readonly content: string | Uint8Array }
  /** Whether sending it twice does no harm. */
  readonly repeatable: boolean
}

/** The parameters of a query string; undefined ones are left out, lists are repeated. */
export type QueryParameters = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>

export class Connection {
  readonly url: string
  readonly signal: AbortSignal | undefined
  readonly #token: string | undefined
  readonly #pause: Pause
  readonly #patienceSignal: AbortSignal | undefined
  /** A service that was never there is not waited for; one that restarts is. */
  #hasAnswered = false

  constructor({ url, token, signal, patienceSignal, pause = realPause }: ServiceAddress) {
    this.url = url.replace(/\/+$/, '')
    this.signal = signal
    this.#token = token
    this.#pause = pause
    this.#patienceSignal = patienceSignal ?? signal
  }

  patience(): Patience {
    return new Patience(this.#pause, this.#patienceSignal)
  }

  /** The JSON of an answer. */
  async ask(request: ServiceRequest): Promise<unknown> {
    const patience = this.patience()
    for (;;) {
      try {
        const response = await this.#send(request)
        return await this.#readJson(response)
      } catch (error) {
        if (!request.repeatable || !mayPass(error)) throw error
        await patience.wait(error)
      }
    }
  }

  /** The answer as it comes, without a second try: only the caller knows what it has read. */
  async stream(request: ServiceRequest): Promise<Response> {
    const response = await this.#send(request)
    if (!response.ok) await this.#readJson(response)
    return response
  }

  /** What a broken stream means to people. */
  lost(error: unknown): Error {
    this.signal?.throwIfAborted()
    return new ConnectionError(
      `the connection to ${this.url} was lost (${causeOf(error)}): is the service still running?`,
      { isLost: true, cause: error },
    )
  }

  async #send({ method = 'GET', path, query = {}, body }: ServiceRequest): Promise<Response> {
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
        `no answer from ${this.url} (${causeOf(error)}): is the service running (oqs serve), and is --url right?`,
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
    if (!response.ok && isErrorAnswer(body)) {
      const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), Date.now())
      throw new ServiceError(response.status, body, retryAfterMs)
    }
    const type = response.headers.get('content-type') ?? 'no content type'
    throw new ConnectionError(
      `${this.url} answered ${response.status} with ${type}, which is no answer of an object query service: is --url right?`,
      // A proxy in between says so while the service restarts.
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

/** Undefined when it is no JSON. */
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

/** Nobody is there, which a service that has never answered will not change by waiting. */
const ABSENT: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', '']

function causeOf(error: unknown): string {
  const { message } = lastCause(error)
  return CAUSES[codeOf(error)] ?? (message || codeOf(error))
}

function codeOf(error: unknown): string {
  return lastCause(error).code ?? ''
}

/** `fetch` hides what went wrong in a chain of causes. */
function lastCause(error: unknown): NodeJS.ErrnoException {
  let last = error as NodeJS.ErrnoException
  while (last.cause instanceof Error) last = last.cause
  return last
}
