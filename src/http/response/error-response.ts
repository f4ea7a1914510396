import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ERRORS, type ErrorName } from '../../contract/error-catalogue.ts'
import { type ErrorBody, ObjectQueryError, statusOf } from '../../contract/errors.ts'
import type { Caller } from '../request/caller.ts'
import { invalidRequest } from '../request/invalid-request.ts'
import type { Services } from '../services.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

/** The only place that knows how an error looks on the wire [7.2]. */

/** What a client can do about Fastify's own refusals. */
const FASTIFY_ERRORS: Readonly<Record<string, ErrorName>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Conjure:UnsupportedMediaType',
  FST_ERR_CTP_BODY_TOO_LARGE: 'Default:RequestEntityTooLarge',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'MissingPostBody',
}

export function errorResponder(services: Services) {
  return async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const known = noteError(error, request, services)
    const delayMs = refusalDelayMs(known, request, services)
    if (delayMs > 0) await sleep(delayMs)
    return sendError(reply, known, request.id)
  }
}

/** A client that is refused again and again waits for it; without a caller it goes by its address. */
function refusalDelayMs(
  { errorName }: ObjectQueryError,
  request: FastifyRequest,
  { admission }: Services,
): number {
  if (![401, 429].includes(statusOf(errorName))) return 0
  const caller = request.caller as Caller | null
  return admission.refusalDelayMs(caller?.id ?? `address ${request.ip}`)
}

/** The body of an error that comes too late for a status. */
export function describeError(error: unknown, request: FastifyRequest, services: Services): string {
  return JSON.stringify(errorBody(noteError(error, request, services), request.id))
}

/** Turns whatever was thrown into an error for clients; the log learns what they must not. */
function noteError(error: unknown, request: FastifyRequest, services: Services): ObjectQueryError {
  const known = toObjectQueryError(error, request)
  const internal = known.errorName === 'Default:Internal'
  if (internal || known.cause !== undefined) {
    services.emit({
      event: 'requestFailed',
      requestId: request.id,
      route: routeOf(request),
      error: known.cause ?? error,
    })
  }
  request.errorName = known.errorName
  return known
}

/** Refuses a request past the framework: its connection has too many already, and is closed. */
export function refuseRequest(response: ServerResponse): void {
  const error = new ObjectQueryError('TooManyRequests', {
    reason: 'Too many requests are in progress on this connection.',
    retryAfterSeconds: 1,
  })
  const body = JSON.stringify(errorBody(error, randomUUID()))
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'retry-after': '1',
    connection: 'close',
  }
  response.writeHead(429, headers).end(body)
}

/** What is no HTTP at all gets the same body, on a connection that is then closed. */
export function respondToBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const { status, reason } = BROKEN_REQUESTS[error.code ?? ''] ?? NOT_HTTP
  endConnection(socket, status, { parameter: 'request', reason })
}

/** Refuses `CONNECT`, which Node gives to no endpoint: this is not a proxy. */
export function refuseTunnel(_request: unknown, socket: Duplex): void {
  // Node has let go of the connection: without a listener its failure would end the process.
  socket.on('error', () => {})
  endConnection(socket, '400 Bad Request', { parameter: 'method', reason: UNKNOWN_METHOD })
}

/** How long a client has to read why its connection is closed. */
const BROKEN_LINGER_MS = 1000
const UNKNOWN_METHOD = 'the method is unknown'
const NOT_HTTP = { status: '400 Bad Request', reason: 'the request is not HTTP' }
const BROKEN_REQUESTS: Readonly<Record<string, typeof NOT_HTTP>> = {
  HPE_INVALID_METHOD: { status: '400 Bad Request', reason: UNKNOWN_METHOD },
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    reason: 'the path and the headers are too long',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    reason: 'the request did not arrive in time',
  },
}

function endConnection(socket: Duplex, status: string, parameters: ErrorBody['parameters']): void {
  const error = new ObjectQueryError('Default:InvalidArgument', parameters)
  const body = JSON.stringify(errorBody(error, randomUUID()))
  const headers = Object.entries({
    ...SECURITY_HEADERS,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  })
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`)
  // A client that does not close its side would keep the connection for ever.
  setTimeout(() => socket.destroy(), BROKEN_LINGER_MS).unref()
}

function sendError(reply: FastifyReply, error: ObjectQueryError, errorInstanceId: string) {
  const status = statusOf(error.errorName)
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  if (status === 405) reply.header('allow', (error.parameters['allowed'] as string[]).join(', '))
  if (status === 429 || status === 503) {
    reply.header('retry-after', String(error.parameters['retryAfterSeconds'] ?? 1))
  }
  return reply
    .code(status)
    .type('application/json')
    .send(JSON.stringify(errorBody(error, errorInstanceId)))
}

function errorBody(
  { errorName, parameters }: ObjectQueryError,
  errorInstanceId: string,
): ErrorBody {
  return {
    errorCode: ERRORS[errorName].errorCode,
    errorName,
    errorInstanceId,
    errorDescription: ERRORS[errorName].description,
    parameters: shortened(parameters) as ErrorBody['parameters'],
  }
}

/** The pattern of a route, which unlike the path holds nothing of the data. */
export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'none'
}

function toObjectQueryError(error: unknown, request: FastifyRequest): ObjectQueryError {
  if (error instanceof ObjectQueryError) return error
  const { validation, code, statusCode, message } = error as Partial<FastifyError>
  if (validation !== undefined) return invalidRequest(error as FastifyError, request)
  const name = FASTIFY_ERRORS[code ?? '']
  if (name === 'Conjure:UnsupportedMediaType') {
    const { consumes = ['application/json'] } = (request.routeOptions.schema ?? {}) as {
      consumes?: readonly string[]
    }
    const received = request.headers['content-type']
    return new ObjectQueryError(name, { expected: consumes.join(', '), received })
  }
  if (name !== undefined) return new ObjectQueryError(name, { parameter: 'body' })
  // Everything else that Fastify or the HTTP parser blames on the client.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ObjectQueryError('Default:InvalidArgument', {
      parameter: 'request',
      reason: message,
    })
  }
  if (request.raw.aborted || code === 'ECONNRESET') {
    return new ObjectQueryError('Default:InvalidArgument', { reason: 'the request broke off' })
  }
  return new ObjectQueryError('Default:Internal')
}

/** What a client sent is shown back to them, but not by the megabyte; a page token fits. */
const ECHO = { length: 1100, items: 100, depth: 5 } as const

function shortened(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    return value.length > ECHO.length ? `${value.slice(0, ECHO.length)}…` : value
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth === ECHO.depth) return '…'
  if (Array.isArray(value))
    return value.slice(0, ECHO.items).map((item) => shortened(item, depth + 1))
  const members = Object.entries(value).slice(0, ECHO.items)
  return Object.fromEntries(members.map(([name, part]) => [name, shortened(part, depth + 1)]))
}
