/** The endpoints that a one-time code opens, without a bearer token. */
import type { App } from '../app.ts'
import { admitByAddress } from '../request/admit-by-address.ts'
import type { Services } from '../services.ts'
import { addRedeemDownload } from './downloads.ts'
import { addCreateSession } from './sessions.ts'

export function addOneTimeEndpoints(app: App, services: Services): void {
  admitByAddress(app, services)
  addCreateSession(app, services)
  addRedeemDownload(app, services)
}
