/**
 * What happens to every request before its handler. It is opened, and reported when it ends. At an
 * endpoint with a scope it is then authenticated, counted against the limits of its caller and checked
 * for its scope, before its parameters are looked at. Requests for pages may take the caller from a
 * cache: nothing is sent before the page has verified it, and if it has changed, the request is
 * handled again.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { type Identified, identify, identifyFromCache, viewOf } from '../../access/authenticate.ts'
import { type Caller, requireScope } from '../../access/caller-rights.ts'
import type { Viewer } from '../../access/find-visible.ts'
import { invalidArgument, ObjectQueryError } from '../../contract/errors.ts'
import type { OntologyName } from '../../ontology/catalogue.ts'
import { requireVerified, StaleIdentity } from '../../store/port/request-context.ts'
import type { App } from '../app.ts'
import { errorHandler, refusePipelinedRequest } from '../response/error-response.ts'
import {
  REQUEST_ID_HEADER,
  rateLimitHeaders,
  type ServiceResponse,
} from '../response/service-response.ts'
import type { Services } from '../services.ts'
import type { RequestTrace } from '../tracing/tracing.ts'
import { readSession } from './session-cookie.ts'

/** Opens every request, and starts its trace. Comes first, so that an excess request costs little. */
export function openRequests(app: App, services: Services): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!openRequest(request, reply, services)) return
    done(hostMistake(request.raw) ?? queryMistake(request.raw.url))
  })
}

/** Opens a request, or refuses it and returns false if its connection has too many in progress. */
export function openRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
): boolean {
  const { admission, isReportingRequests, tracing } = services
  const context = services.openRequests.open(request.raw, reply.raw, request.routeOptions.url)
  if (context === undefined) {
    reply.hijack()
    refusePipelinedRequest(reply.raw)
    return false
  }
  request.context = context
  const response: ServiceResponse = reply.raw
  response.readRequestHeaders = () => ({
    [REQUEST_ID_HEADER]: request.id,
    ...rateLimitHeaders(admission.rateOf(context.callerId)),
  })
  if (isReportingRequests) context.defer(() => reportRequest(request, reply.raw, services))
  const trace = tracing?.start(request.headers)
  if (trace !== undefined) traceRequest(trace, request, reply)
  return true
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

/** Returns the error for a query string that is not percent-encoded: parsers read it as plain text. */
function queryMistake(url = ''): Error | undefined {
  const start = url.indexOf('?')
  if (start === -1 || !url.includes('%', start) || isDecodable(url.slice(start))) return undefined
  const parameters = url.slice(start + 1).split('&')
  const [name = ''] = parameters.find((text) => !isDecodable(text))?.split('=') ?? []
  const parameter = isDecodable(name) ? decodeURIComponent(name) : name
  return invalidArgument(parameter, 'is not percent-encoded UTF-8')
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** The status of a request that became a WebSocket. */
export const SWITCHING_PROTOCOLS = 101

/** Reports a request that has ended. Fastify has a hook for this, which costs several times as much. */
function reportRequest(
  request: FastifyRequest,
  response: ServerResponse,
  { emit }: Pick<Services, 'emit'>,
): void {
  const { id: requestId, context } = request
  const { statusCode: status, headersSent } = response
  const { sentPage } = context
  for (const read of context.reads) emit({ event: 'pageRead', requestId, ...read })
  const report = {
    requestId,
    method: request.method,
    route: context.route,
    durationMs: roundMs(context.elapsedMs()),
    storeMs: roundMs(context.readMs + context.writeMs),
    writeMs: roundMs(context.writeMs),
    objects: sentPage.objects,
    bytes: sentPage.bytes ?? contentLength(response),
    caller: (request.caller as Caller | undefined)?.id,
    errorName: request.errorName,
  }
  // A WebSocket is reported when it is closed, by either side.
  if (response.writableFinished || status === SWITCHING_PROTOCOLS) {
    emit({ event: 'requestFinished', status, ...report })
  } else {
    emit({ event: 'requestAborted', status: headersSent ? status : undefined, ...report })
  }
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
      status: reply.raw.headersSent ? reply.raw.statusCode : undefined,
      errorName: request.errorName,
      objects: request.context.sentPage.objects,
    })
  })
}

/** How often a request is handled while its definition keeps changing. */
const MAX_ATTEMPTS = 5

/** Authenticates every request to the endpoints of `app`. Each endpoint must declare its scope. */
export function requireAuthentication(app: App, services: Services): void {
  app.addHook('onRoute', (route) => {
    const { method, url, config } = route
    if (config?.scope === undefined) throw new Error(`${method} ${url} declares no scope`)
    if (config.isPage) route.handler = retryIfStale(route.handler, services)
  })
  verifyBeforeErrors(app, services)
  app.addHook('onSend', (request, _reply, payload, done) => {
    requireVerified(request.context)
    done(null, payload)
  })
  app.addHook('onRequest', (request) => admitCaller(request, services))
}

/** Counts every request to the endpoints of `app` against its address: there is no caller yet. */
export function admitByAddress(app: App, services: Services): void {
  app.addHook('onRequest', async ({ context }) => {
    services.admission.admit(context)
    await services.admission.takeTurn(context.callerId)
    context.throwIfEnded()
  })
}

/** Authenticates the caller of a request, checks its limits and the scope, and waits for its turn. */
export async function admitCaller(request: FastifyRequest, services: Services): Promise<void> {
  const { scope, isPage = false } = request.routeOptions.config
  const identified = await identifyRequest(request, services, isPage)
  const { caller } = identified
  services.admission.admit(request.context)
  if (scope !== undefined && scope !== 'any') requireScope(caller, scope)
  await services.admission.takeTurn(caller.id)
  const view = await readView(request, services, identified)
  request.caller = view.caller
  request.catalogue = view.catalogue
  request.context.throwIfEnded()
}

/** Finds out who the caller is now, and what it may see, without caches. */
export async function identifyAgain(request: FastifyRequest, services: Services): Promise<void> {
  const identified = await readIdentity(request, services, false)
  const { scope } = request.routeOptions.config
  if (scope !== undefined && scope !== 'any') requireScope(identified.caller, scope)
  const view = await readView(request, services, identified)
  // Only now: subscriptions share a request, and none may see a caller that is not limited yet.
  setIdentity(request, { ...identified, ...view })
}

/** Sets the caller, the catalogue and the context of a request. */
async function identifyRequest(
  request: FastifyRequest,
  services: Services,
  mayUseCache: boolean,
): Promise<Identified> {
  const identified = await readIdentity(request, services, mayUseCache)
  setIdentity(request, identified)
  return identified
}

function readIdentity(
  request: FastifyRequest,
  services: Services,
  mayUseCache: boolean,
): Promise<Identified> {
  const { headers, ip } = request
  const { authorization } = headers
  const credentials = { authorization, session: readSession(headers), address: ip }
  const read = mayUseCache ? identifyFromCache : identify
  return read(credentials, nameOf(request), services)
}

function setIdentity(
  request: FastifyRequest,
  { caller, catalogue, cachedIdentity }: Identified,
): void {
  request.caller = caller
  request.catalogue = catalogue
  request.context.identify(caller.id, cachedIdentity)
}

/**
 * Returns the caller and the catalogue of a request, limited to what policies allow in the ontology
 * that its path names. Endpoints whose path names none call `viewOf` for those that they read.
 */
async function readView(
  request: FastifyRequest,
  services: Services,
  identified: Identified,
): Promise<Viewer> {
  const name = nameOf(request)
  if (name.ontology === undefined && name.apiFamily === undefined) return identified
  return viewOf(name, identified, services, identified.policies)
}

/** Returns the ontology that the path of a request names. */
function nameOf({ params }: FastifyRequest): OntologyName {
  return (params ?? {}) as OntologyName
}

/** An error may depend on rights from a cache, so the caller is identified again before it is sent. */
function verifyBeforeErrors(app: App, services: Services): void {
  const handleError = errorHandler(services)
  app.setErrorHandler(async (error, request, reply) => {
    const cached = request.context.dropCachedIdentity()
    // An error before the handler depends on the caller only, and the handler verifies its own.
    if (!cached?.hasCachedRights) return handleError(error, request, reply)
    try {
      await identifyRequest(request, services, false)
      return handleError(error, request, reply)
    } catch (refusal) {
      return handleError(refusal, request, reply)
    }
  })
}

/** Handles a request again if it failed because of what it took from caches, or of an old definition. */
function retryIfStale(handler: RouteHandlerMethod, services: Services): RouteHandlerMethod {
  return async function handleVerified(request, reply) {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await handler.call(this, request, reply)
      } catch (error) {
        const mayBeStale = request.context.dropCachedIdentity() !== undefined || isOutOfSync(error)
        if (!mayBeStale || attempts === MAX_ATTEMPTS) throw error
        const before = request.catalogue
        await identifyAgain(request, services)
        const isSame = request.catalogue.isSame(before)
        if (!(error instanceof StaleIdentity) && isSame) throw error
      }
    }
  }
}

function isOutOfSync(error: unknown): boolean {
  return error instanceof ObjectQueryError && error.errorName === 'OntologyDefinitionOutOfSync'
}
