import type { App } from '../app.ts'
import type { Services } from '../services.ts'

/** Counts every request to the endpoints of `app` against its address: there is no caller yet. */
export function admitByAddress(app: App, { admission }: Services): void {
  app.addHook('onRequest', async ({ ip, context }) => {
    const callerId = `address ${ip}`
    admission.admit(callerId, context)
    const turn = admission.takeTurn(callerId)
    if (turn !== undefined) await turn
    context.throwIfEnded()
  })
}
