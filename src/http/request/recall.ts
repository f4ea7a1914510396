/**
 * Identifies the caller of a request, and the catalogue that it sees. A request for a page takes the
 * catalogue from memory, and on PostgreSQL the caller too, which saves two round trips. The page
 * confirms them in its own transaction. If they have changed, the request starts again.
 */
import type { FastifyRequest, RouteHandlerMethod } from 'fastify'
import { RecalledOutdated } from '../../admission/request-context.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { OntologyName } from '../../ontology/catalogue.ts'
import type { App } from '../app.ts'
import { errorHandler } from '../response/error-response.ts'
import { requireConfirmed } from '../response/require-confirmed.ts'
import type { ReadPolicies } from '../rights/caller-views.ts'
import type { Services } from '../services.ts'
import { authenticate, lookUpToken, requireScope } from './authenticate.ts'
import type { Viewer } from './resolve.ts'

/** What `identify` leaves to `loadView`. */
export interface Identified {
  /** The policies of the caller, if they were taken from memory. */
  readonly known: ReadPolicies | undefined
}

/**
 * Sets the caller and the catalogue of a request, which has no definition that is not in memory.
 * Throws if the caller is not valid.
 */
export async function identify(
  request: FastifyRequest,
  services: Services,
  mayRecall: boolean,
): Promise<Identified> {
  const { store, views } = services
  const { context, headers, ip } = request
  const name = nameOf(request)
  context.recalled = undefined
  const recalled = mayRecall ? store.recallCatalogue(name) : undefined
  // In parallel with the token: on PostgreSQL, both are round trips.
  const catalogue = recalled ?? store.readCatalogue({ named: [name] })
  if (catalogue instanceof Promise) catalogue.catch(() => {})
  let tokens: number | undefined
  const findToken: typeof lookUpToken = async (secretHash, address) => {
    const known = recalled && store.recallApiToken?.(secretHash)
    if (known === undefined) return lookUpToken(secretHash, address, services)
    tokens = known.generation
    return known.token
  }
  const caller = await authenticate(headers.authorization, ip, services, findToken)
  const { policies } = caller
  const known = policies && recalled && views.recall(policies, tokens)
  request.caller = caller
  request.catalogue = await catalogue
  tokens ??= known?.generation
  context.recalled = recalled && { catalogue: recalled.generation, tokens }
  return { known }
}

/**
 * Loads the definition that the path of a request names, and limits the caller and the definition to
 * what policies allow. Both can take a while, so the caller is identified and admitted before that.
 * Endpoints whose path names no ontology call `viewOf` for those that they read.
 */
export async function loadView(
  request: FastifyRequest,
  services: Services,
  { known }: Identified,
): Promise<void> {
  const name = nameOf(request)
  if (name.ontology === undefined && name.apiFamily === undefined) return
  const viewer = await viewOf(name, request, services, known)
  request.caller = viewer.caller
  request.catalogue = viewer.catalogue
}

/** Returns a caller, and a catalogue with one definition, as its policies allow. */
export async function viewOf(
  name: OntologyName,
  { caller, catalogue }: Viewer,
  { store, views }: Pick<Services, 'store' | 'views'>,
  known?: ReadPolicies,
): Promise<Viewer> {
  const policies = caller.policies && (known ?? (await views.read(caller.policies)))
  const entry = catalogue.index.findNamed(name)
  const mayLoad =
    entry !== undefined &&
    caller.maySee(entry) &&
    (policies === undefined || views.mayShow(entry, policies))
  const loaded =
    !mayLoad || catalogue.isLoaded(name)
      ? catalogue
      : await store.readCatalogue({ named: [name], callerId: caller.id })
  return policies === undefined
    ? { caller, catalogue: loaded }
    : views.limit({ caller, catalogue: loaded }, policies)
}

/** Returns the ontology that the path of a request names. */
function nameOf({ params }: FastifyRequest): OntologyName {
  return (params ?? {}) as OntologyName
}

/**
 * Makes sure that nothing is sent to a caller before the database has confirmed it, and that a page
 * is requested again if its definition changed before it was read.
 */
export function confirmBeforeSending(app: App, services: Services): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.isPage) route.handler = retried(route.handler, services)
  })
  const handleError = errorHandler(services)
  app.setErrorHandler(async (error, request, reply) => {
    const { context } = request
    // An error before the handler depends on the caller only, and the handler confirms its own.
    if (context.recalled?.tokens === undefined) {
      context.recalled = undefined
      return handleError(error, request, reply)
    }
    try {
      await identify(request, services, false)
      return handleError(error, request, reply)
    } catch (refusal) {
      return handleError(refusal, request, reply)
    }
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    requireConfirmed(request.context)
    done(null, payload)
  })
}

/** How often a request is handled while its definition keeps changing. */
const MAX_ATTEMPTS = 5

/** Handles a request again if it failed because of what it recalled, or of an older definition. */
function retried(handler: RouteHandlerMethod, services: Services): RouteHandlerMethod {
  return async function handleConfirmed(request, reply) {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await handler.call(this, request, reply)
      } catch (error) {
        const mayBeOutdated = request.context.recalled !== undefined || isOutOfSync(error)
        if (!mayBeOutdated || attempts === MAX_ATTEMPTS) throw error
        const before = request.catalogue
        const identified = await identify(request, services, false)
        const { scope } = request.routeOptions.config
        if (scope !== undefined && scope !== 'any') requireScope(request.caller, scope)
        await loadView(request, services, identified)
        const isSame = request.catalogue.isSame(before)
        if (!(error instanceof RecalledOutdated) && isSame) throw error
      }
    }
  }
}

function isOutOfSync(error: unknown): boolean {
  return error instanceof ObjectQueryError && error.errorName === 'OntologyDefinitionOutOfSync'
}
