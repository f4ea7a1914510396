import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { Ajv } from 'ajv'
import fastify from 'fastify'
import { BODY_MAX_BYTES } from '../contract/limits.ts'
import type { Catalogue } from '../ontology/catalogue.ts'
import { addOntologiesAdmin } from './admin/define-ontology.ts'
import { addExportObjects } from './admin/export-objects.ts'
import { addReplacementsAdmin } from './admin/replace-objects.ts'
import { addObjectsAdmin } from './admin/write-objects.ts'
import type { App } from './app.ts'
import { addHealth } from './health.ts'
import { addDocs } from './openapi/add-docs.ts'
import { ErrorResponse } from './openapi/schemas.ts'
import type { RequestScope } from './request/admission.ts'
import { authenticate, type Caller, requireScope } from './request/caller.ts'
import { textValidator } from './request/text-validator.ts'
import { addUnknownEndpoint } from './request/unknown-endpoint.ts'
import {
  errorResponder,
  refuseRequest,
  refuseTunnel,
  respondToBrokenRequest,
  routeOf,
} from './response/error-response.ts'
import { serviceResponses } from './response/service-response.ts'
import { addAggregateObjects } from './revision-1/aggregate-objects.ts'
import { addGetObject } from './revision-1/get-object.ts'
import { addLinkTypes } from './revision-1/link-types.ts'
import { addLinkedObjects } from './revision-1/linked-objects.ts'
import { addListObjects } from './revision-1/list-objects.ts'
import { addObjectTypes } from './revision-1/object-types.ts'
import { addOntologies } from './revision-1/ontologies.ts'
import { addSearchObjects1 } from './revision-1/search-objects.ts'
import { addFamilyObjects } from './revision-2/object-by-key.ts'
import { addSearchObjects } from './revision-2/search-objects.ts'
import type { Services } from './services.ts'

/** The HTTP application: every endpoint, and what all of them share. */

/** The longest path segment: a key of 512 bytes, each byte percent-encoded. */
const MAX_PARAM_LENGTH = 2048
/** A client that does not send its request in this time is cut off. */
const REQUEST_TIMEOUT_MS = 300_000
const HEADERS_TIMEOUT_MS = 20_000
/** Longer than the idle time of common load balancers, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000

export interface AppOptions {
  /** The version that `openapi.json` shows. */
  readonly version: string
  /** Whether `/docs` and `/openapi.json` are served. */
  readonly docs: boolean
}

export async function buildApp(services: Services, { version, docs }: AppOptions): Promise<App> {
  const respondToError = errorResponder(services)
  const app: App = fastify({
    logger: false,
    genReqId: services.newUuid,
    bodyLimit: BODY_MAX_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      ServerResponse: serviceResponses(services.isStopping),
    },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // A stopping server finishes what its connections still send, see server/close-app.ts.
    return503OnClosing: false,
    clientErrorHandler: respondToBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      void respondToError(error, request, reply)
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.decorateRequest('caller', null as unknown as Caller)
  app.decorateRequest('catalogue', null as unknown as Catalogue)
  app.decorateRequest('context', null as unknown as RequestScope)
  app.decorateRequest('errorName', undefined)
  setValidator(app)
  setBodyParsers(app)
  app.setErrorHandler(respondToError)
  openScopes(app, services)
  if (services.reportsRequests) reportRequests(app, services)

  app.server.on('connect', refuseTunnel)
  app.addSchema(ErrorResponse)
  await addUnknownEndpoint(app)
  if (docs) await addDocs(app, version)
  addHealth(app, services)
  await app.register(async (secured: App) => {
    requireAuthentication(secured, services)
    addOntologies(secured)
    addObjectTypes(secured, services)
    addLinkTypes(secured, services)
    addListObjects(secured, services)
    addGetObject(secured, services)
    addLinkedObjects(secured, services)
    addSearchObjects1(secured, services)
    addAggregateObjects(secured, services)
    addSearchObjects(secured, services)
    addFamilyObjects(secured, services)
    addOntologiesAdmin(secured, services)
    addReplacementsAdmin(secured, services)
    addExportObjects(secured, services)
    await secured.register(async (batches: App) => {
      takeLines(batches)
      addObjectsAdmin(batches, services)
    })
  })
  return app
}

/** Before anything else, for every request: one that is too many costs as little as possible. */
function openScopes(app: App, { admission }: Services): void {
  app.addHook('onRequest', (request, reply, done) => {
    const scope = admission.open(request.raw, reply.raw)
    if (scope === undefined) {
      reply.hijack()
      refuseRequest(reply.raw)
      return
    }
    request.context = scope
    done()
  })
}

/** Every endpoint of the given scope of the application names its scope, or does not start. */
function requireAuthentication(app: App, services: Services): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.scope === undefined) throw new Error(`${method} ${url} names no scope`)
  })
  app.addHook('onRequest', async (request) => {
    // At the same time as the token: where the store is a database, both are round trips.
    const catalogue = services.store.readCatalogue()
    catalogue.catch(() => {})
    const caller = await authenticate(request.headers.authorization, request.ip, services)
    request.caller = caller
    request.catalogue = await catalogue
    services.admission.admit(caller.id, request.context)
    const { scope } = request.routeOptions.config
    if (scope !== undefined) requireScope(caller, scope)
    const turn = services.admission.takeTurn(caller.id)
    if (turn !== undefined) await turn
    request.context.throwIfEnded()
  })
}

/** Requests are checked by the schemas of their endpoint, nothing in them is coerced or removed. */
function setValidator(app: App): void {
  const ajv = new Ajv({ strict: false, strictNumbers: true })
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const validate = ajv.compile(schema as object)
    return httpPart === 'body' ? validate : textValidator(schema as object, validate)
  })
}

function setBodyParsers(app: App): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    // Official clients send the content type of JSON with no body at all; schemas say who may.
    if (text === '') done(null, undefined)
    else void parseJson(request, text as string, done)
  })
}

/** A batch is read line by line by its endpoint, never as a whole. */
function takeLines(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/x-ndjson', (_request, stream, done) => done(null, stream))
}

function reportRequests(app: App, { emit }: Services): void {
  app.addHook('onResponse', (request, reply, done) => {
    emit({
      event: 'requestFinished',
      requestId: request.id,
      method: request.method,
      route: routeOf(request),
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 1000) / 1000,
      caller: (request.caller as Caller | null)?.id,
      errorName: request.errorName,
    })
    done()
  })
}
