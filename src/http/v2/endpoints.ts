import type { App } from '../app.ts'
import type { Services } from '../services.ts'
import { addCurrentUser } from './current-user.ts'

/** Adds the endpoints of v2, which the official SDKs use. */
export function addV2(app: App, _services: Services): void {
  addCurrentUser(app)
}
