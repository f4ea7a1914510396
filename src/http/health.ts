import { Type } from 'typebox'
import { CoalescedRead } from '../admission/coalesced-read.ts'
import { ObjectQueryError } from '../contract/errors.ts'
import { text } from '../contract/schema-parts.ts'
import type { App } from './app.ts'
import { responses } from './schemas/responses.ts'
import type { Services } from './services.ts'

/** The routes of health probes, which are called every few seconds. */
export const HEALTH_ROUTES: readonly string[] = ['/healthz', '/readyz']

/** Adds `/healthz` (the process is alive) and `/readyz` (the store is reachable). */
export function addHealth(app: App, services: Services): void {
  const schema = (operationId: string, summary: string, description: string) => ({
    operationId,
    summary,
    description,
    tags: ['Operation'],
    security: [],
    response: responses(
      Type.Object({
        status: Type.Literal('ok'),
        writesFail: Type.Optional(
          text('Why the last write was refused, such as a full disk. Reads go on.'),
        ),
      }),
    ),
  })
  app.get(
    '/healthz',
    {
      schema: schema(
        'healthz',
        'Check that the process is alive',
        'For liveness probes: it does not depend on the store.',
      ),
    },
    async () => ({
      status: 'ok' as const,
    }),
  )
  // Anyone may probe, so any number of probes at once costs one check of the store at a time.
  const check = new CoalescedRead(() => services.store.check())
  app.get(
    '/readyz',
    {
      schema: schema(
        'readyz',
        'Check that the store is reachable',
        'For readiness probes: 503 while the service cannot answer requests.',
      ),
    },
    async (request) => {
      try {
        await check.run()
      } catch (error) {
        if (!(error instanceof ObjectQueryError)) throw error
        services.emit({ event: 'notReady', requestId: request.id, reason: reasonOf(error) })
        // Without the cause: the log would write its stack trace for every probe during an outage.
        throw new ObjectQueryError(error.errorName, error.parameters)
      }
      const { failure } = services.store.writeState()
      return { status: 'ok' as const, ...(failure !== undefined && { writesFail: failure }) }
    },
  )
}

function reasonOf({ parameters, message, cause }: ObjectQueryError): string {
  const reason = String(parameters['reason'] ?? message)
  return cause instanceof Error ? `${reason}: ${cause.message}` : reason
}
