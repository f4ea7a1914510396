/** Opens every request, and reports it when it ends. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../access/caller.ts'
import { invalidArgument } from '../../contract/errors.ts'
import type { App } from '../app.ts'
import { refusePipelinedRequest } from '../response/error-response.ts'
import type { Services } from '../services.ts'
import type { RequestTrace } from '../tracing/tracing.ts'

/** Opens every request, and starts its trace. Comes first, so that an excess request costs little. */
export function openRequests(app: App, services: Services): void {
  const { isReportingRequests, tracing } = services
  app.addHook('onRequest', (request, reply, done) => {
    const context = services.openRequests.open(request.raw, reply.raw, request.routeOptions.url)
    if (context === undefined) {
      reply.hijack()
      refusePipelinedRequest(reply.raw)
      return
    }
    request.context = context
    if (isReportingRequests) context.defer(() => reportRequest(request, reply.raw, services))
    const trace = tracing?.start(request.headers)
    if (trace !== undefined) traceRequest(trace, request, reply)
    done(hostMistake(request.raw))
  })
}

/** The characters of a host and a port (RFC 3986, 3.2). */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/

/** Returns the error for a request that does not have exactly one valid host (RFC 9112, 3.2). */
function hostMistake({ headers, httpVersion, rawHeaders }: IncomingMessage): Error | undefined {
  if (headers.host === undefined) {
    if (httpVersion !== '1.1') return undefined
    return invalidArgument('host', 'HTTP/1.1 requires a Host header')
  }
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    // Node.js keeps the first of several.
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  if (count > 1) return invalidArgument('host', `is sent ${count} times; send it once`)
  return HOST.test(headers.host) ? undefined : invalidArgument('host', 'is not a host name')
}

/**
 * Reports a request that has ended, unless its client has left. Fastify has a hook for this, which
 * costs several times as much.
 */
function reportRequest(
  request: FastifyRequest,
  response: ServerResponse,
  { emit }: Pick<Services, 'emit'>,
): void {
  if (!response.writableFinished) return
  const { id: requestId, context } = request
  const { sentPage } = context
  for (const read of context.reads) emit({ event: 'pageRead', requestId, ...read })
  emit({
    event: 'requestFinished',
    requestId,
    method: request.method,
    route: context.route,
    status: response.statusCode,
    durationMs: roundMs(context.elapsedMs()),
    storeMs: roundMs(context.storeMs),
    objects: sentPage.objects,
    bytes: sentPage.bytes ?? contentLength(response),
    caller: (request.caller as Caller | undefined)?.id,
    errorName: request.errorName,
  })
}

/** Rounds to microseconds. */
function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

function contentLength(response: ServerResponse): number | undefined {
  const length = Number(response.getHeader('content-length'))
  return Number.isNaN(length) ? undefined : length
}

/** Traces a request, which ends with the last byte of its response. */
function traceRequest(trace: RequestTrace, request: FastifyRequest, reply: FastifyReply): void {
  request.context.trace = trace
  request.context.defer(() => {
    const { operationId } = (request.routeOptions.schema ?? {}) as { operationId?: string }
    trace.end({
      method: request.method,
      route: request.context.route,
      operation: operationId,
      status: reply.statusCode,
      errorName: request.errorName,
      objects: request.context.sentPage.objects,
    })
  })
}
