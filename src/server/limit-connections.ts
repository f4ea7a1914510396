/** Limits the number of open connections, and how long a client may stall one. */
import type { Server } from 'node:http'
import { STALLED_CONNECTION_SECONDS } from '../contract/limits.ts'
import type { Admission } from '../http/request/admission.ts'

export function limitConnections(
  server: Server,
  admission: Admission,
  maxConnections: number,
  stalledMs = 1000 * STALLED_CONNECTION_SECONDS,
): void {
  server.maxConnections = maxConnections
  // Without this, a worker at its limit returns the connection, and workers pass it around forever.
  Object.assign(server, { dropMaxConnection: true })
  // Node calls the listener when a connection is silent or its keep-alive ends, and closes nothing itself.
  server.setTimeout(stalledMs, (socket) => {
    if (!admission.isClientWaiting(socket)) socket.destroy()
  })
}
