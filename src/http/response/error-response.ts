/** Sends errors to clients and reports them to the log. */
import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ERRORS, type ErrorName } from '../../contract/error-catalogue.ts'
import {
  clientDisconnected,
  type ErrorBody,
  invalidArgument,
  ObjectQueryError,
  statusOf,
} from '../../contract/errors.ts'
import { findDefinitionMistakes } from '../../ontology/definition/check-definition.ts'
import { describeMisfit } from '../../ontology/definition/describe-misfit.ts'
import type { TokenRefusal } from '../../paging/page-token.ts'
import type { Services } from '../services.ts'
import { REQUEST_ID_HEADER, SECURITY_HEADERS } from './service-response.ts'

/** Returns the error handler of the application. */
export function errorHandler(services: Services) {
  return async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const known = reportError(error, request, services)
    const delayMs = refusalDelayMs(known, request, services)
    if (delayMs > 0) await sleep(delayMs)
    const { status, headers, body } = renderError(known, request.id)
    return reply.code(status).headers(headers).send(body)
  }
}

/** Returns the body of an error that occurs after the status was sent. */
export function lateErrorBody(error: unknown, request: FastifyRequest, services: Services): string {
  return errorBody(reportError(error, request, services), request.id)
}

/** Slows down clients that are refused repeatedly. Without a caller, the address counts. */
function refusalDelayMs(
  { errorName }: ObjectQueryError,
  request: FastifyRequest,
  { admission }: Services,
): number {
  if (![401, 429].includes(statusOf(errorName))) return 0
  return admission.refusalDelayMs(request.context.callerId)
}

/** Returns the error for the client. The log gets the cause, which the client must not see. */
export function reportError(
  error: unknown,
  request: FastifyRequest,
  services: Services,
): ObjectQueryError {
  const known = toObjectQueryError(error, request)
  const isInternal = known.errorName === 'Default:Internal'
  if (isInternal || known.cause !== undefined) {
    services.emit({
      event: 'requestFailed',
      requestId: request.id,
      route: request.context.route,
      error: known.cause ?? error,
    })
  }
  if (known.errorName === 'InvalidPageToken') {
    const { reason: refusal } = known.parameters as { readonly reason: TokenRefusal }
    services.emit({ event: 'pageTokenRefused', requestId: request.id, refusal })
  }
  request.errorName = known.errorName
  return known
}

/** Rejects a request before Fastify sees it: its connection has too many requests in progress. */
export function refusePipelinedRequest(response: ServerResponse): void {
  const error = new ObjectQueryError('TooManyRequests', {
    reason: 'Too many requests are in progress on this connection.',
    retryAfterSeconds: 1,
  })
  const { status, headers, body } = renderError(error, randomUUID())
  response.writeHead(status, { ...headers, connection: 'close' }).end(body)
}

/**
 * Returns the handler of requests that the HTTP parser rejects. It sends an error after the
 * responses to earlier requests, and closes the connection.
 */
export function parserErrorHandler({ openRequests }: Services) {
  return async (error: NodeJS.ErrnoException, socket: Socket): Promise<void> => {
    if (error.code === 'ECONNRESET' || !socket.writable) return
    // There is no TLS connection to send a response on.
    if (/^ERR_(?:SSL|TLS)_/.test(error.code ?? '')) {
      socket.destroy()
      return
    }
    const { status, reason } = PARSER_ERRORS[error.code ?? ''] ?? NOT_HTTP
    const rendered = renderError(invalidArgument('request', reason), randomUUID())
    await openRequests.untilAnswered(socket)
    if (!socket.writable) return
    // A second response would be taken for that of the next request.
    if (openRequests.isAnsweredEarly(socket)) socket.destroySoon()
    else endConnection(socket, { ...rendered, status })
  }
}

/** Rejects an `Expect` header other than `100-continue`. */
export function refuseExpectation(_request: unknown, response: ServerResponse): void {
  const error = invalidArgument('expect', 'only 100-continue is supported')
  const { headers, body } = renderError(error, randomUUID())
  response.writeHead(417, headers).end(body)
}

/** Rejects `CONNECT`, which Node passes to no handler: this is not a proxy. */
export function refuseTunnel(_request: unknown, socket: Duplex): void {
  // Node no longer listens for errors of this socket, and an unhandled one would end the process.
  socket.on('error', () => {})
  endConnection(socket, renderError(invalidArgument('method', UNKNOWN_METHOD), randomUUID()))
}

const UNKNOWN_METHOD = 'the method is unknown'
const NOT_HTTP = { status: 400, reason: 'the request is not HTTP' }
const PARSER_ERRORS: Readonly<Record<string, typeof NOT_HTTP>> = {
  HPE_INVALID_METHOD: { status: 400, reason: UNKNOWN_METHOD },
  HPE_HEADER_OVERFLOW: { status: 431, reason: 'the path and the headers are too long' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: 'the request did not arrive in time' },
}

/** How long a client has to read the error before its connection is destroyed. */
const CLOSE_DELAY_MS = 1000

/** Writes a response to a socket that has no `ServerResponse`, and closes it. */
function endConnection(socket: Duplex, { status, headers, body }: RenderedError): void {
  const lines = Object.entries({ ...SECURITY_HEADERS, ...headers, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  // A client that never closes its side would otherwise keep the connection open.
  setTimeout(() => socket.destroy(), CLOSE_DELAY_MS).unref()
}

/* Turns everything that can be thrown while a request is served into an error for the client. */

/** The errors of Fastify that have a name of their own here. */
const FASTIFY_ERRORS: Readonly<Record<string, ErrorName>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Conjure:UnsupportedMediaType',
  FST_ERR_CTP_BODY_TOO_LARGE: 'Default:RequestEntityTooLarge',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'MissingPostBody',
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
  // Any other error that Fastify or the HTTP parser attributes to the client.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return invalidArgument('request', message ?? 'is not valid')
  }
  if (request.raw.aborted || code === 'ECONNRESET') return clientDisconnected()
  return new ObjectQueryError('Default:Internal')
}

/** Returns the error for a request that does not match its schema; it names the invalid part. */
function invalidRequest(error: FastifyError, request: FastifyRequest): ObjectQueryError {
  const inBody = error.validationContext === 'body'
  if (inBody && (request.body === undefined || request.body === null)) {
    return new ObjectQueryError('MissingPostBody', { parameter: 'body' })
  }
  const [mistake] = error.validation ?? []
  const { path, reason } = describeMisfit(mistake, inBody ? 'members' : 'parameters')
  // Paging parameters have their own errors, in query strings and in bodies.
  if (mistake?.instancePath === '/pageSize') {
    const sent = (inBody ? request.body : request.query) as { readonly pageSize: unknown }
    return new ObjectQueryError('InvalidPageSize', { pageSize: sent.pageSize })
  }
  if (mistake?.instancePath === '/pageToken') {
    return new ObjectQueryError('InvalidPageToken', { reason: 'malformed' })
  }
  if (!inBody) return new ObjectQueryError('Default:InvalidArgument', { parameter: path, reason })
  if (request.routeOptions.config.invalidBody === 'InvalidOntologyDefinition') {
    return new ObjectQueryError('InvalidOntologyDefinition', {
      mistakes: findDefinitionMistakes(request.body, { path, reason }),
    })
  }
  return new ObjectQueryError('Conjure:UnprocessableEntity', { parameter: path, reason })
}

/* How an error looks on the wire [7.2]: status, headers and body. */

interface RenderedError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export function renderError(error: ObjectQueryError, errorInstanceId: string): RenderedError {
  const status = statusOf(error.errorName)
  const body = errorBody(error, errorInstanceId)
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      [REQUEST_ID_HEADER]: errorInstanceId,
      ...statusHeaders(status, error.parameters),
    },
    body,
  }
}

/** Returns the JSON body of an error. */
function errorBody({ errorName, parameters }: ObjectQueryError, errorInstanceId: string): string {
  const body: ErrorBody = {
    errorCode: ERRORS[errorName].errorCode,
    errorName,
    errorInstanceId,
    errorDescription: ERRORS[errorName].description,
    parameters: shortened(parameters),
  }
  return JSON.stringify(body)
}

function statusHeaders(
  status: number,
  parameters: ErrorBody['parameters'],
): Readonly<Record<string, string>> {
  if (status === 401) return { 'www-authenticate': 'Bearer' }
  if (status === 405) return { allow: (parameters['allowed'] as string[]).join(', ') }
  if (status === 429 || status === 503) {
    return { 'retry-after': String(parameters['retryAfterSeconds'] ?? 1) }
  }
  return {}
}

/** Limits how much of a request an error repeats. A page token fits. */
const ECHO = { length: 1100, items: 100, depth: 5 } as const

/** Returns the parameters of an error as clients get them. */
export function shortened(parameters: ObjectQueryError['parameters']): ErrorBody['parameters'] {
  return shortenedValue(parameters) as ErrorBody['parameters']
}

function shortenedValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    return value.length > ECHO.length ? `${value.slice(0, ECHO.length)}…` : value
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth === ECHO.depth) return '…'
  if (Array.isArray(value))
    return value.slice(0, ECHO.items).map((item) => shortenedValue(item, depth + 1))
  const members = Object.entries(value).slice(0, ECHO.items)
  return Object.fromEntries(members.map(([name, part]) => [name, shortenedValue(part, depth + 1)]))
}
