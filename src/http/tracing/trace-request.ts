import type { FastifyReply, FastifyRequest } from 'fastify'
import { routeOf } from '../response/error-response.ts'
import type { RequestTrace } from './tracing.ts'

/** Ends the trace of a request with the last byte of its response. */
export function endTrace(trace: RequestTrace, request: FastifyRequest, reply: FastifyReply): void {
  request.lifetime.defer(() => {
    const { operationId } = (request.routeOptions.schema ?? {}) as { operationId?: string }
    trace.end({
      method: request.method,
      route: routeOf(request),
      operation: operationId,
      status: reply.statusCode,
      errorName: request.errorName,
      objects: request.activity.summary().page.objects,
    })
  })
}
