/** One-time codes: links for browsers, which cannot send a bearer token with a link. */
import type { App } from '../app.ts'
import { admitByAddress } from '../request/require-authentication.ts'
import type { Services } from '../services.ts'
import { addCreateDownload, addRedeemDownload } from './downloads.ts'
import { addCreateSession, addEndSession } from './sessions.ts'

/** Adds the endpoints that a one-time code opens, without a bearer token. */
export function addOneTimeEndpoints(app: App, services: Services): void {
  admitByAddress(app, services)
  addCreateSession(app, services)
  addRedeemDownload(app, services)
}

/** Adds the endpoints around codes that need a bearer token. */
export function addCodeEndpoints(app: App, services: Services): void {
  addEndSession(app, services)
  addCreateDownload(app, services)
}
