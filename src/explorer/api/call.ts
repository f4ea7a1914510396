/** Calls the service, and turns what goes wrong into one kind of error. */
import { BASE_PATH } from './base-path.ts'

/** An error that the service reported, or a connection that failed (status 0). */
export class ApiError extends Error {
  readonly status: number
  readonly errorName: string
  readonly errorInstanceId: string | undefined
  readonly parameters: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, body: ErrorBody, retryAfterSeconds?: number) {
    super(body.errorDescription ?? body.errorName ?? `The service answered with ${status}.`)
    this.name = 'ApiError'
    this.status = status
    this.errorName = body.errorName ?? 'Unknown'
    this.errorInstanceId = body.errorInstanceId
    this.parameters = body.parameters ?? {}
    this.retryAfterSeconds = retryAfterSeconds
  }

  /** True if the bearer token is missing, expired or revoked. */
  get needsSignIn(): boolean {
    return this.status === 401
  }
}

interface ErrorBody {
  readonly errorName?: string
  readonly errorDescription?: string
  readonly errorInstanceId?: string
  readonly parameters?: Readonly<Record<string, unknown>>
}

/** A request to the service, as data: the request panel shows it, and `send` sends it. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Starts with `/api/`; contains the query string. */
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A response as it came, with what the paging lens shows of it. */
export interface ApiResponse {
  readonly status: number
  readonly bytes: Uint8Array
  readonly headers: Headers
  /** Milliseconds until the last byte. */
  readonly durationMs: number
  /** Milliseconds since the epoch, by the clock of the browser. */
  readonly receivedAtMs: number
}

export type Send = (request: ApiRequest, signal?: AbortSignal) => Promise<ApiResponse>

/** Returns a function that sends requests with a bearer token. */
export function senderOf(token: string | undefined): Send {
  return async ({ method, path, body, headers }, signal) => {
    const started = performance.now()
    const response = await fetch(BASE_PATH + path, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      credentials: 'omit',
      cache: 'no-store',
    }).catch((error: unknown) => {
      if (signal?.aborted) throw error
      throw new ApiError(0, {
        errorName: 'ConnectionFailed',
        errorDescription: 'The service cannot be reached.',
      })
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (!response.ok) throw toError(response, bytes)
    return {
      status: response.status,
      bytes,
      headers: response.headers,
      durationMs: performance.now() - started,
      receivedAtMs: Date.now(),
    }
  }
}

/** Returns the JSON of a response. */
export function parseBody<Body>({ bytes }: Pick<ApiResponse, 'bytes'>): Body {
  return JSON.parse(new TextDecoder().decode(bytes)) as Body
}

function toError({ status, headers }: Response, bytes: Uint8Array): ApiError {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const retryAfter = Number.isFinite(seconds) ? seconds : undefined
  try {
    return new ApiError(status, parseBody<ErrorBody>({ bytes }), retryAfter)
  } catch {
    return new ApiError(status, {}, retryAfter)
  }
}
