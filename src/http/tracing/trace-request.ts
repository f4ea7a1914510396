import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RequestTrace } from './tracing.ts'

/** Traces a request, which ends with the last byte of its response. */
export function traceRequest(
  trace: RequestTrace,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
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
