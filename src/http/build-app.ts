/**
 * Builds the HTTP application: every endpoint, and what all of them have in common. The folders
 * `revision-1/`, `revision-2/`, `v2/` and `admin/` each contain the endpoints of one API.
 */
import type { Socket } from 'node:net'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { type FastifyRequest } from 'fastify'
import { RuledObjects } from '../access/ruled-objects.ts'
import { BODY_MAX_BYTES } from '../contract/limits.ts'
import { StructFields } from '../ontology/definition/definition-schema.ts'
import { addAdministration, addRevision1, addRevision2, addV2 } from './add-endpoints.ts'
import type { App } from './app.ts'
import { auditRequests } from './audit/audit-requests.ts'
import { addEndpoints, lazyValidators } from './endpoint.ts'
import { addExplorer, type OpenExplorer } from './explorer/serve-explorer.ts'
import { addHealth } from './health.ts'
import { addMcp } from './mcp/add-mcp.ts'
import { addMetrics } from './metrics.ts'
import { addOAuth } from './oauth/endpoints.ts'
import { redeemDownload } from './one-time-links/downloads.ts'
import { createSession } from './one-time-links/sessions.ts'
import { addDocs, addDocsRedirect } from './openapi/add-docs.ts'
import { removeBasePath } from './request/base-path.ts'
import { allowOrigins, type CorsOrigins } from './request/cors.ts'
import { guardWrites } from './request/guard-writes.ts'
import { addJsonParser } from './request/json-body.ts'
import {
  admitByAddress,
  openRequest,
  openRequests,
  requireAuthentication,
} from './request/request-hooks.ts'
import { addUnknownEndpoint } from './request/unknown-endpoint.ts'
import {
  errorHandler,
  parserErrorHandler,
  refuseExpectation,
  refuseTunnel,
} from './response/error-response.ts'
import { buildLazySerializers } from './response/lazy-serializers.ts'
import { serviceResponses } from './response/service-response.ts'
import { ErrorResponse } from './schemas/responses.ts'
import type { GivenServices, Services } from './services.ts'
import { isWebSocket, Upgrades } from './subscriptions/accept-upgrades.ts'
import { addSubscriptions } from './subscriptions/stream-subscriptions.ts'

/** The longest path segment: a key of 512 bytes, each byte percent-encoded. */
const MAX_PARAM_LENGTH = 2048
const REQUEST_TIMEOUT_MS = 300_000
const HEADERS_TIMEOUT_MS = 20_000
/** Longer than the idle timeout of common load balancers, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000

/**
 * The bytes of a body that are buffered before the connection is paused. Node.js calls back for each
 * chunk that a client sends: one read of the socket with tiny chunks takes 12 ms, so there should be
 * only one at a stretch.
 */
const BUFFERED_BYTES = 16 * 1024

/** What requests have beside the members of Fastify, see `app.ts`. */
const REQUEST_MEMBERS = [
  'caller',
  'catalogue',
  'context',
  'errorName',
] as const satisfies readonly (keyof FastifyRequest)[]

export interface AppOptions {
  /** The version in `openapi.json`. */
  readonly version: string
  /** Whether `/docs` and `/openapi.json` are served. */
  readonly docs: boolean
  /** The explorer at `/`; without it, `/` leads to `/docs`. */
  readonly explorer?: OpenExplorer | undefined
  /** The certificate and the key of HTTPS; undefined for HTTP. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined
  /** The web sites that may call the service; undefined for none. */
  readonly corsOrigins?: CorsOrigins | undefined
}

export async function buildApp(given: GivenServices, options: AppOptions): Promise<App> {
  const services: Services = { ...given, objects: new RuledObjects(given.storedObjects) }
  const { version, docs, explorer, tls, corsOrigins } = options
  const { basePath } = services
  const handleError = errorHandler(services)
  const respondToParserError = parserErrorHandler(services)
  const ServerResponse = serviceResponses(services.stopping)
  const serverOptions = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    // Checked in `openRequests`, so that the response has the usual headers and body.
    requireHostHeader: false,
    highWaterMark: BUFFERED_BYTES,
    ServerResponse,
    shouldUpgradeCallback: isWebSocket,
  }
  const app = fastify({
    logger: false,
    genReqId: services.newUuid,
    bodyLimit: BODY_MAX_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    ...(tls === undefined
      ? { http: serverOptions }
      : { https: { ...serverOptions, ...tls, handshakeTimeout: HEADERS_TIMEOUT_MS } }),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    ...(basePath === '' ? {} : { rewriteUrl: removeBasePath(basePath) }),
    schemaController: { compilersFactory: { buildSerializer: buildLazySerializers } },
    // A stopping server still answers requests on open connections, see server/close-app.ts.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => void respondToParserError(error, socket as Socket),
    // Before any hook: the path cannot be decoded.
    frameworkErrors: (error, request, reply) => {
      if (openRequest(request, reply, services)) void handleError(error, request, reply)
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as App

  // Decorated, so that all requests have the same shape.
  for (const name of REQUEST_MEMBERS) app.decorateRequest(name)
  app.setValidatorCompiler(lazyValidators(() => app.getSchemas()))
  setBodyParsers(app)
  app.setErrorHandler(handleError)
  openRequests(app, services)
  if (corsOrigins !== undefined) allowOrigins(app, corsOrigins, services)
  auditRequests(app, services)

  app.server.on('connect', refuseTunnel)
  const upgrades = new Upgrades(app, ServerResponse, corsOrigins)
  app.server.on('checkExpectation', refuseExpectation)
  app.addSchema(ErrorResponse)
  app.addSchema(StructFields)
  guardWrites(app)
  await addUnknownEndpoint(app)
  if (docs) addDocs(app, version, basePath)
  if (explorer !== undefined) addExplorer(app, explorer, basePath)
  else if (docs) addDocsRedirect(app, basePath)
  addHealth(app, services)
  addMetrics(app, services)
  await app.register(async (open: App) => addOAuth(open, services))
  await app.register(async (open: App) => {
    admitByAddress(open, services)
    addEndpoints(open, services, [createSession, redeemDownload])
  })
  await app.register(async (secured: App) => {
    requireAuthentication(secured, services)
    addRevision1(secured, services)
    addRevision2(secured, services)
    addV2(secured, services)
    addSubscriptions(secured, services, upgrades)
    addMcp(secured, services, corsOrigins)
    await addAdministration(secured, services)
  })
  return app
}

function setBodyParsers(app: App): void {
  app.removeAllContentTypeParsers()
  addJsonParser(app, 'application/json')
}
