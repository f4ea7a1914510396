/**
 * Every request to an endpoint with a scope is authenticated, counted against the limits of its caller
 * and checked for its scope, before its parameters are looked at. Requests for pages may take the
 * caller from a cache: nothing is sent before the page has verified it, and if it has changed, the
 * request is handled again.
 */
import type { FastifyRequest, RouteHandlerMethod } from 'fastify'
import { requireScope } from '../../access/caller.ts'
import { type Identified, identify, identifyFromCache, viewOf } from '../../access/identify.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { OntologyName } from '../../ontology/catalogue.ts'
import {
  type CachedIdentity,
  requireVerified,
  StaleIdentity,
} from '../../store/port/request-context.ts'
import type { App } from '../app.ts'
import { errorHandler } from '../response/error-response.ts'
import type { Services } from '../services.ts'
import { CallerContext } from './caller-context.ts'

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
export function admitByAddress(app: App, { admission }: Services): void {
  app.addHook('onRequest', async (request) => {
    const callerId = `address ${request.ip}`
    request.context = new CallerContext(request, callerId)
    admission.admit(callerId, request.lifetime)
    const turn = admission.takeTurn(callerId)
    if (turn !== undefined) await turn
    request.lifetime.throwIfEnded()
  })
}

/** Authenticates the caller of a request, checks its limits and the scope, and waits for its turn. */
export async function admitCaller(request: FastifyRequest, services: Services): Promise<void> {
  const { scope, isPage = false } = request.routeOptions.config
  const identified = await identifyRequest(request, services, isPage)
  const { caller } = identified
  services.admission.admit(caller.id, request.lifetime)
  if (scope !== undefined && scope !== 'any') requireScope(caller, scope)
  const turn = services.admission.takeTurn(caller.id)
  if (turn !== undefined) await turn
  await loadView(request, services, identified)
  request.lifetime.throwIfEnded()
}

/** Sets the caller, the catalogue and the context of a request. */
async function identifyRequest(
  request: FastifyRequest,
  services: Services,
  mayUseCache: boolean,
): Promise<Identified> {
  const { headers, ip } = request
  const credentials = { authorization: headers.authorization, address: ip }
  const read = mayUseCache ? identifyFromCache : identify
  const identified = await read(credentials, nameOf(request), services)
  const { caller, catalogue, cachedIdentity } = identified
  request.caller = caller
  request.catalogue = catalogue
  request.context = new CallerContext(request, caller.id, cachedIdentity)
  return identified
}

/**
 * Limits the caller and the catalogue of a request to what policies allow in the ontology that its
 * path names. Endpoints whose path names none call `viewOf` for those that they read.
 */
async function loadView(
  request: FastifyRequest,
  services: Services,
  { policies }: Identified,
): Promise<void> {
  const name = nameOf(request)
  if (name.ontology === undefined && name.apiFamily === undefined) return
  const { caller, catalogue } = await viewOf(name, request, services, policies)
  request.caller = caller
  request.catalogue = catalogue
}

/** Returns the ontology that the path of a request names. */
function nameOf({ params }: FastifyRequest): OntologyName {
  return (params ?? {}) as OntologyName
}

/** An error may depend on rights from a cache, so the caller is identified again before it is sent. */
function verifyBeforeErrors(app: App, services: Services): void {
  const handleError = errorHandler(services)
  app.setErrorHandler(async (error, request, reply) => {
    const cached = dropCachedIdentity(request)
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

/** Makes a request depend on the database alone. Returns what it took from caches, if unverified. */
function dropCachedIdentity(request: FastifyRequest): CachedIdentity | undefined {
  const context = request.context as CallerContext | undefined
  const cached = context?.cachedIdentity
  if (context === undefined || cached === undefined || cached.isVerified) return undefined
  request.context = new CallerContext(request, context.callerId)
  return cached
}

/** Handles a request again if it failed because of what it took from caches, or of an old definition. */
function retryIfStale(handler: RouteHandlerMethod, services: Services): RouteHandlerMethod {
  return async function handleVerified(request, reply) {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await handler.call(this, request, reply)
      } catch (error) {
        const mayBeStale = dropCachedIdentity(request) !== undefined || isOutOfSync(error)
        if (!mayBeStale || attempts === MAX_ATTEMPTS) throw error
        const before = request.catalogue
        const identified = await identifyRequest(request, services, false)
        const { scope } = request.routeOptions.config
        if (scope !== undefined && scope !== 'any') requireScope(request.caller, scope)
        await loadView(request, services, identified)
        const isSame = request.catalogue.isSame(before)
        if (!(error instanceof StaleIdentity) && isSame) throw error
      }
    }
  }
}

function isOutOfSync(error: unknown): boolean {
  return error instanceof ObjectQueryError && error.errorName === 'OntologyDefinitionOutOfSync'
}
