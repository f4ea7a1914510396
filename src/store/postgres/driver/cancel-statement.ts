/**
 * Cancels the statement that runs on a connection. The request is sent on a separate connection,
 * which poolers forward too. `pg_cancel_backend` would need the process ID of the backend, which a
 * pooler hides.
 */
import { connect } from 'node:net'
import { CONNECT_TIMEOUT_MS } from './connection-pool.ts'
import type { ClientSecrets } from './session.ts'

/** Marks a message as a cancel request instead of the start of a session. */
const CANCEL_REQUEST_CODE = 80877102
const CANCEL_REQUEST_BYTES = 16

/**
 * Resolves when the request was delivered or failed. If it is lost, the statement timeout of the
 * connection ends the statement.
 */
export async function cancelStatement(client: ClientSecrets): Promise<void> {
  const { host, port, processID, secretKey } = client
  const isSocketFolder = host.startsWith('/')
  const socket = isSocketFolder
    ? connect({ path: `${host}/.s.PGSQL.${port}` })
    : connect({ host, port })
  const message = Buffer.alloc(CANCEL_REQUEST_BYTES)
  message.writeInt32BE(CANCEL_REQUEST_BYTES, 0)
  message.writeInt32BE(CANCEL_REQUEST_CODE, 4)
  message.writeInt32BE(processID ?? 0, 8)
  message.writeInt32BE(secretKey ?? 0, 12)
  // The statement timeout ends the statement if the request cannot be delivered.
  socket.on('error', () => {})
  socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy())
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.end(message)
  // The server replies by closing the connection.
  socket.resume()
  await closed
}
