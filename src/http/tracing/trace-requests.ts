import type { App } from '../app.ts'
import { routeOf } from '../response/error-response.ts'
import type { Services } from '../services.ts'

/** Traces the requests that are sampled, from their arrival to the last byte of their response. */
export function traceRequests(app: App, { tracing }: Services): void {
  if (tracing === undefined) return
  app.addHook('onRequest', (request, reply, done) => {
    const { context } = request
    const trace = tracing.start(request.headers)
    if (trace !== undefined) {
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
    done()
  })
}
