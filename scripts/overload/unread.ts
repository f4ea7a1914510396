/** Connections whose client follows changes or sends pings, and reads nothing. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Call, Target } from '../measure/connection.ts'
import { headerLines, requestHead } from '../measure/connection.ts'
import { batchPath, ONTOLOGY } from './inputs.ts'

const CHANGES = `/api/v1/ontologies/${ONTOLOGY}/changes/sink?since=now`
const SUBSCRIPTIONS = `/api/v2/ontologySubscriptions/ontologies/${ONTOLOGY}/streamSubscriptions`
/** An empty ping of a client: its head and the mask of its data. */
const PING = Buffer.from([0x89, 0x80, 1, 2, 3, 4])
const PINGS = Buffer.concat(Array(10_000).fill(PING))
const COMMIT_OBJECTS = 1000
const OBJECT_BYTES = 4000

/** Opens an event stream, and keeps it. */
export async function holdStream(target: Target): Promise<void> {
  const headers = { ...target.headers, accept: 'text/event-stream' }
  const socket = await open({ ...target, headers }, { method: 'GET', path: CHANGES })
  await closed(socket)
}

/** Opens a WebSocket, and sends empty pings as fast as it can until the service closes it. */
export async function sendPings(target: Target): Promise<void> {
  const headers = {
    ...target.headers,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  }
  const socket = await open({ ...target, headers }, { method: 'GET', path: SUBSCRIPTIONS })
  const isClosed = closed(socket)
  const send = () => {
    while (!socket.destroyed && socket.write(PINGS));
  }
  socket.on('drain', send)
  send()
  await isClosed
}

/** Makes a batch that streams of its type send as an event of 4 MB. */
export function largeCommit(number: number): Call {
  const text = 'a few words of text '.repeat(OBJECT_BYTES / 20)
  const lines = Array.from({ length: COMMIT_OBJECTS }, (_, n) =>
    JSON.stringify({ put: { id: `unread ${n}`, text, n: number } }),
  )
  const contentType = 'application/x-ndjson'
  return { method: 'POST', path: batchPath('sink'), contentType, body: lines.join('\n') }
}

/** Sends a request on a new connection that is not read. */
async function open(target: Target, call: Call): Promise<Socket> {
  const socket = connect(Number(target.url.port), target.url.hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.pause()
  socket.write(requestHead(headerLines(target), call))
  return socket
}

/** Resolves when a connection is closed. One that is not read notices that only when it writes. */
function closed(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once('close', resolve))
}
