/**
 * Audits requests. The store adds the record of a write of objects or of a definition in the
 * transaction of the write. Other writes get theirs before they are acknowledged. Reads, and requests
 * that failed, get theirs afterwards, together with others.
 */
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Caller } from '../../access/caller-rights.ts'
import { TokenBucket } from '../../admission/caller-limits.ts'
import type {
  AuditCaller,
  AuditEntry,
  AuditOutcome,
  AuditRecord,
} from '../../contract/audit-record.ts'
import type { Catalogue, OntologyName } from '../../ontology/catalogue.ts'
import type { App } from '../app.ts'
import type { Services } from '../services.ts'
import { clientAddress } from './client-address.ts'
import { RequestAudit } from './request-audit.ts'

/**
 * Requests without a valid caller, and requests over a limit, cost their sender nothing. Only some of
 * them are recorded, so that they cannot fill the log.
 */
const REFUSALS = { capacity: 100, tokensPerSecond: 1 }

/** Requested every few seconds, by programs. */
const UNAUDITED: ReadonlySet<unknown> = new Set(['healthz', 'readyz', 'getMetrics', 'reportSource'])

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `auditRequests` if requests of the route are audited. */
    audited?: AuditedOperation
  }
}

export function auditRequests(app: App, services: Services): void {
  const { audit: sink, now } = services
  if (sink === undefined) return
  const refusals = new TokenBucket(REFUSALS, now())

  app.addHook('onRoute', (route) => {
    const audited = auditedOperation(route)
    if (audited === undefined || (sink.level === 'writes' && audited.kind === 'read')) return
    route.config = { ...route.config, audited }
  })

  app.addHook('onRequest', (request, reply, done) => {
    const { audited } = request.routeOptions.config
    if (audited !== undefined) request.context.defer(() => addRecord(request, reply, audited))
    done()
  })

  app.addHook('preHandler', (request, _reply, done) => {
    const { audited } = request.routeOptions.config
    if (audited?.kind === 'write') {
      request.context.audit = new RequestAudit(describeRequest(request, audited, services), sink)
    }
    done()
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const { audit } = request.context
    const { audited } = request.routeOptions.config
    const isOpen = audit !== undefined && !audit.isRecorded && reply.statusCode < 400
    if (!isOpen || audited === undefined) return done(null, payload)
    audit.append(recordOf(request, reply, audited, true)).then(() => done(null, payload), done)
  })

  /** Adds the record of a request that has ended, unless one was added already. */
  function addRecord(
    request: FastifyRequest,
    reply: FastifyReply,
    audited: AuditedOperation,
  ): void {
    if (request.context.audit?.isRecorded) return
    const record = recordOf(request, reply, audited, reply.raw.writableFinished)
    const isCheap = record.caller === undefined || request.errorName === 'TooManyRequests'
    if (isCheap && !refusals.take(now())) sink?.skip()
    else sink?.add(record)
  }

  function recordOf(
    request: FastifyRequest,
    reply: FastifyReply,
    audited: AuditedOperation,
    isSent: boolean,
  ): AuditRecord {
    const entry = describeRequest(request, audited, services)
    return { ...entry, ...outcomeOf(request, reply, isSent) }
  }
}

/** Returns the operation of a route as the log names it; undefined if the log omits it. */
function auditedOperation({
  method,
  schema,
  config,
}: Pick<RouteOptions, 'method' | 'schema' | 'config'>): AuditedOperation | undefined {
  const { operationId } = (schema ?? {}) as { readonly operationId?: string }
  if (operationId === undefined || UNAUDITED.has(operationId)) return undefined
  const isWrite =
    ['PUT', 'PATCH', 'DELETE'].includes(String(method)) || isWritingPost(method, config)
  return { operation: operationId, kind: isWrite ? 'write' : 'read' }
}

/** Many endpoints that only read have a body. Those without a scope issue and revoke tokens. */
function isWritingPost(method: RouteOptions['method'], config: RouteOptions['config']): boolean {
  return String(method) === 'POST' && !SCOPES_OF_READS.has(config?.scope)
}

const SCOPES_OF_READS: ReadonlySet<unknown> = new Set(['api:ontologies-read', 'any'])

/** An operation as the audit log names it. */
interface AuditedOperation {
  readonly operation: string
  readonly kind: AuditEntry['kind']
}

/** Describes a request as far as it was handled. */
function describeRequest(
  request: FastifyRequest,
  { operation, kind }: AuditedOperation,
  { now, trustedProxies }: Services,
): AuditEntry {
  const caller = auditCaller(request)
  const { dryRun } = (request.query ?? {}) as { readonly dryRun?: unknown }
  return {
    atMs: now(),
    requestId: request.id,
    operation: request.context.auditFacts.operation ?? operation,
    kind,
    ...(caller === undefined ? {} : { caller }),
    address: clientAddress(request, trustedProxies),
    ...namesOf(request),
    ...(dryRun === true ? { dryRun } : {}),
  }
}

/** Describes how a request ended. The response of a write is not sent yet when it is recorded. */
function outcomeOf(request: FastifyRequest, reply: FastifyReply, isSent: boolean): AuditOutcome {
  const { context, errorName } = request
  const { readObjects: objects } = context
  const { writtenKeys } = context.auditFacts
  const isFailure = errorName !== undefined || reply.statusCode >= 400
  return {
    outcome: isFailure ? 'failure' : isSent ? 'success' : 'disconnected',
    ...(errorName === undefined ? {} : { errorName }),
    ...(objects === undefined ? {} : { objects }),
    ...(writtenKeys === undefined ? {} : { keys: writtenKeys }),
  }
}

function auditCaller({ caller, context }: FastifyRequest): AuditCaller | undefined {
  const known = caller as Caller | undefined
  if (known === undefined) return context.auditFacts.oauthClient
  const { id, name, credential } = known
  if (credential.kind !== 'apiToken') return { id, name }
  const { tokenId, clientId } = credential
  return { id, name, tokenId, ...(clientId === undefined ? {} : { clientId }) }
}

interface NamedPath extends OntologyName {
  readonly objectType?: string
}

/** Returns the API names of what a request is about. Names that do not exist are left out. */
function namesOf({
  params,
  catalogue,
  context,
}: FastifyRequest): Pick<AuditEntry, 'ontology' | 'objectTypes'> {
  const { readTypes, auditFacts } = context
  const path: NamedPath = auditFacts.namedType ?? (params as NamedPath | null) ?? {}
  const known = catalogue as Catalogue | undefined
  const ontology = known?.index.findNamed(path)
  if (known === undefined || ontology === undefined) return {}
  // Not loaded if the request was refused early, or if the ontology is hidden from its caller.
  const definition = known.isLoaded(path) ? known.find(ontology.rid) : undefined
  const named = definition?.objectTypes.get(path.objectType ?? '')
  const objectTypes = readTypes === undefined ? (named ? [named.apiName] : []) : [...readTypes]
  return { ontology: ontology.apiName, ...(objectTypes.length === 0 ? {} : { objectTypes }) }
}
