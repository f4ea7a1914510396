import { Type } from 'typebox'
import type { App } from './app.ts'
import { responses } from './schemas.ts'
import type { Services } from './services.ts'

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
  app.get('/readyz', { schema: schema('readyz', 'The store can be reached') }, async () => {
    await services.store.check()
    return { status: 'ok' as const }
  })
}
