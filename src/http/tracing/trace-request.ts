import type { FastifyReply, FastifyRequest } from 'fastify'
import { routeOf } from '../response/error-response.ts'
import type { Tracing } from './tracing.ts'

/** Traces a request, if it is sampled, from its arrival to the last byte of its response. */
export function traceRequest(request: FastifyRequest, reply: FastifyReply, tracing: Tracing): void {
  const trace = tracing.start(request.headers)
  if (trace === undefined) return
  const { context } = request
  context.trace = trace
  context.defer(() => {
    const { operationId } = (request.routeOptions.schema ?? {}) as { operationId?: string }
    trace.end({
      method: request.method,
      route: routeOf(request),
      operation: operationId,
      status: reply.statusCode,
      errorName: request.errorName,
      objects: context.objects,
    })
  })
}
