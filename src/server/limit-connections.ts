/** Bounds what connections may take: how many there are, and how long a client may stall one. */
import type { Server } from 'node:http'
import { STALLED_CONNECTION_SECONDS } from '../contract/limits.ts'
import type { Admission } from '../http/admission.ts'

export function limitConnections(
  server: Server,
  admission: Admission,
  maxConnections: number,
  stalledMs = 1000 * STALLED_CONNECTION_SECONDS,
): void {
  server.maxConnections = maxConnections
  // Called after a silence; without a listener Node would close every silent connection. One that
  // waits for the answer to a slow query is left open.
  server.setTimeout(stalledMs, (socket) => {
    if (admission.isStalled(socket)) socket.destroy()
  })
}
