import { Type } from 'typebox'
import { ObjectQueryError } from '../contract/errors.ts'
import type { App } from './app.ts'
import { responses } from './openapi/schemas.ts'
import type { Services } from './services.ts'

/** What is asked every few seconds, by whoever watches the service. */
export const HEALTH_ROUTES: readonly string[] = ['/healthz', '/readyz']

/** Alive, and able to serve. */
export function addHealth(app: App, services: Services): void {
  const schema = (operationId: string, summary: string) => ({
    operationId,
    summary,
    tags: ['Operation'],
    security: [],
    response: responses(Type.Object({ status: Type.Literal('ok') })),
  })
  app.get('/healthz', { schema: schema('healthz', 'The process is alive') }, async () => ({
    status: 'ok' as const,
  }))
  app.get('/readyz', { schema: schema('readyz', 'The store can be reached') }, async (request) => {
    try {
      await services.store.check()
    } catch (error) {
      if (!(error instanceof ObjectQueryError)) throw error
      services.emit({ event: 'notReady', requestId: request.id, reason: reasonOf(error) })
      // Without its cause, whose stack the log would show again for each probe of an outage.
      throw new ObjectQueryError(error.errorName, error.parameters)
    }
    return { status: 'ok' as const }
  })
}

function reasonOf({ parameters, message, cause }: ObjectQueryError): string {
  const reason = String(parameters['reason'] ?? message)
  return cause instanceof Error ? `${reason}: ${cause.message}` : reason
}
