/** Bounds what connections may take: how many there are, and how long a client may stall one. */
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
  // Otherwise a worker hands the connection back, and the workers pass it around for ever.
  Object.assign(server, { dropMaxConnection: true })
  // Called after a silence, and when a connection without a request has been kept for long enough.
  // With a listener, Node leaves closing to it.
  server.setTimeout(stalledMs, (socket) => {
    if (!admission.isClientWaiting(socket)) socket.destroy()
  })
}
