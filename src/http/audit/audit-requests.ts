/**
 * Audits requests. The store adds the record of a write of objects or of a definition in the
 * transaction of the write. Other writes get theirs before they are acknowledged. Reads, and requests
 * that failed, get theirs afterwards, together with others.
 */
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { TokenBucket } from '../../admission/caller-limits.ts'
import type { AuditRecord } from '../../contract/audit-record.ts'
import type { App } from '../app.ts'
import type { Services } from '../services.ts'
import { type AuditedOperation, describeRequest, outcomeOf } from './describe-request.ts'
import { RequestAudit } from './request-audit.ts'

/**
 * Requests without a valid caller, and requests over a limit, cost their sender nothing. Only some of
 * them are recorded, so that they cannot fill the log.
 */
const REFUSALS = { capacity: 100, tokensPerSecond: 1 }

/** Health checks and metrics are requested every few seconds, by programs. */
const UNAUDITED = /^\/(?:healthz|readyz|metrics)$/

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
  url,
  schema,
  config,
}: Pick<RouteOptions, 'method' | 'url' | 'schema' | 'config'>): AuditedOperation | undefined {
  const { operationId } = (schema ?? {}) as { readonly operationId?: string }
  if (operationId === undefined || UNAUDITED.test(url)) return undefined
  const isWrite =
    ['PUT', 'PATCH', 'DELETE'].includes(String(method)) || isWritingPost(method, config)
  return { operation: operationId, kind: isWrite ? 'write' : 'read' }
}

/** Many endpoints that only read have a body. Those without a scope issue and revoke tokens. */
function isWritingPost(method: RouteOptions['method'], config: RouteOptions['config']): boolean {
  return String(method) === 'POST' && !SCOPES_OF_READS.has(config?.scope)
}

const SCOPES_OF_READS: ReadonlySet<unknown> = new Set(['api:ontologies-read', 'any'])
